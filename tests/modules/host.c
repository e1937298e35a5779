// Loads libraries in turn, calls work() in each, and unloads it again: host ROUNDS [HOW] LIBRARY... Prints how often a
// library came to lie where another one had been. HOW: `thread`: two threads do so at the same time. `die`: the process
// kills itself at the end. `deep`: libraries find what they need before what is preloaded. `next,deep`, `handle,deep`:
// dlopen and dlclose are, besides, those that a library behind what is preloaded finds by RTLD_NEXT, or by a handle of
// the C library, as UCX does.
#include "next.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rounds;
static int mode = RTLD_NOW | RTLD_LOCAL;
static int count;
static char** libraries;
static int is_next, is_by_handle;

static void* open_library(const char* name) {
    return is_next ? next_dlopen(is_by_handle)(name, mode) : dlopen(name, mode);
}
static int close_library(void* library) { return is_next ? next_dlclose(is_by_handle)(library) : dlclose(library); }

static void* load_and_unload(void* nothing) {
    void* lain[64] = {0};
    long others = 0;
    (void)nothing;
    for (int i = 0; i < rounds; ++i) {
        void* library = open_library(libraries[i % count]);
        void* symbol = library != NULL ? dlsym(library, "work") : NULL;
        int (*work)(void);
        if (symbol == NULL) {
            fprintf(stderr, "cannot load %s: %s\n", libraries[i % count], dlerror());
            exit(1);
        }
        memcpy(&work, &symbol, sizeof work);
        for (int call = 0; call < 3; ++call)
            if (work() != MPI_SUCCESS) exit(1);
        lain[i % count] = symbol;
        for (int other = 0; other < count; ++other) others += other != i % count && lain[other] == symbol;
        if (close_library(library) != 0) exit(1);
    }
    return (void*)others;
}

int main(int argc, char** argv) {
    pthread_t second;
    void* others = NULL;
    int provided = 0;
    const char* how = argc > 2 ? argv[2] : "";
    const int is_threaded = strstr(how, "thread") == how;
    const int is_deep = strstr(how, "deep") != NULL && strchr(how, '/') == NULL;
    const int has_way = is_threaded || is_deep || strcmp(how, "die") == 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    rounds = atoi(argv[1]);
    libraries = argv + 2 + has_way;
    count = argc - 2 - has_way;
    is_by_handle = strstr(how, "handle,") == how;
    is_next = is_by_handle || strstr(how, "next,") == how;
    if (is_deep) mode |= RTLD_DEEPBIND;
    if (is_threaded && pthread_create(&second, NULL, load_and_unload, NULL) != 0) return 1;
    others = load_and_unload(NULL);
    if (is_threaded) pthread_join(second, NULL);
    printf("at others' addresses: %ld\n", (long)others);
    fflush(stdout);
    if (strcmp(how, "die") == 0) kill(getpid(), SIGKILL);
    return MPI_Finalize();
}
