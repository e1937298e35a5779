// Asks for functions of an MPI before, while and after it is loaded, and then uses it: asks LIBRARY. It is linked with
// no MPI, as mpi4py from a wheel is. Prints what it is told.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void* ask(const char* when, void* handle, const char* name) {
    dlerror();
    void* const found = dlsym(handle, name);
    const char* const error = dlerror();
    printf("%s: %s %s%s\n", when, name, found != NULL ? "found" : "not found",
           found == NULL && (error == NULL || strstr(error, name) == NULL) ? ", and no reason" : "");
    return found;
}

static int call(void* handle, const char* name) {
    int (*function)(void*, void*);
    void* const found = ask("in use", handle, name);
    if (found == NULL) return 1;
    memcpy(&function, &found, sizeof function);
    return function(NULL, NULL);
}

int main(int argc, char** argv) {
    static const char* const names[] = {"MPI_Init", "PMPI_Get_version", "mpi_init_", "MPI_Not_a_function"};
    if (argc != 2) return 2;
    for (int i = 0; i < 4; ++i) {
        ask("without an MPI", RTLD_DEFAULT, names[i]);
        ask("without an MPI, of the program", dlopen(NULL, RTLD_NOW), names[i]);
    }
    void* const library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        fprintf(stderr, "asks: %s\n", dlerror());
        return 1;
    }
    for (int i = 0; i < 4; ++i) {
        if (i == 2) continue; // Fortran has a library of its own
        ask("with an MPI", RTLD_DEFAULT, names[i]);
        ask("with an MPI, of the program", dlopen(NULL, RTLD_NOW), names[i]);
        ask("with an MPI, of the MPI", library, names[i]);
    }
    if (call(RTLD_DEFAULT, "MPI_Init") != 0 || call(library, "MPI_Finalize") != 0) return 1;
    printf("used\n");
    ask("next", RTLD_NEXT, "dlopen");
    ask("of the C library", dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "dlopen");
    ask("next", RTLD_NEXT, "dlclose_of_nobody");
    printf("next: dlopen of another version %s\n", dlvsym(RTLD_NEXT, "dlopen", "NOT_1.0") ? "found" : "not found");
    return 0;
}
