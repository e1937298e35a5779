/* Opens libmpi itself, and calls it through dlsym on the handle, which does not ask any preloaded library. The program
 * is not linked with an MPI. argv[1] is the name of the library, argv[2] is local or global. It must simply work. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void* library;

static void* function(const char* name) {
    void* found = dlsym(library, name);
    if (found == NULL) fprintf(stderr, "no %s\n", name);
    return found;
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    library = dlopen(argv[1], RTLD_NOW | (strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
    if (library == NULL) return 3;
    int (*init)(int*, char***) = (int (*)(int*, char***))function("MPI_Init");
    int (*initialized)(int*) = (int (*)(int*))function("MPI_Initialized");
    int (*finalized)(int*) = (int (*)(int*))function("MPI_Finalized");
    int (*finalize)(void) = (int (*)(void))function("MPI_Finalize");
    int before = 7, between = 7, end = 7;
    const int untouched = initialized(&before);
    const int begun = init(&argc, &argv);
    initialized(&between);
    const int finished = finalize();
    finalized(&end);
    printf("codes %d %d %d, initialized %d %d, finalized %d\n", untouched, begun, finished, before, between, end);
    return 0;
}
