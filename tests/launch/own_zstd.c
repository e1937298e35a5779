/* Part of a program that has functions with the names of zstd's, and loads a library that has some, too (the program's
 * first argument). Nobody but the program may call the first, and nobody's are called in place of the library's. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OF_THE_PROGRAM(name)                                                                                           \
    void name(void);                                                                                                   \
    void name(void) {                                                                                                  \
        fprintf(stderr, "somebody called the program's " #name "\n");                                                  \
        _exit(3);                                                                                                      \
    }
OF_THE_PROGRAM(ZSTD_createCCtx)
OF_THE_PROGRAM(ZSTD_freeCCtx)
OF_THE_PROGRAM(ZSTD_CCtx_setParameter)
OF_THE_PROGRAM(ZSTD_compress)
OF_THE_PROGRAM(ZSTD_compress2)
OF_THE_PROGRAM(ZSTD_compressBound)
OF_THE_PROGRAM(ZSTD_decompress)
OF_THE_PROGRAM(ZSTD_isError)

__attribute__((constructor)) static void load_library(int argc, char** argv) {
    void* const library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void* const symbol = library ? dlsym(library, "version") : NULL;
    unsigned (*version)(void);
    memcpy(&version, &symbol, sizeof version);
    if (version) printf("the library's zstd has version %u\n", version());
}
