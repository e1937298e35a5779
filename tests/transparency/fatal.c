/* MPI_ERRORS_ARE_FATAL, which applies to a program that sets no handler: a wrong argument ends the job with a status.
 * So do MPI_Abort from an error handler (argument `handler`) and MPI_Comm_call_errhandler (`called`). One rank. */
#include "say.h"

static void abort_handler(MPI_Comm* comm, int* code, ...) {
    (void)code;
    MPI_Abort(*comm, 9);
}

int main(int argc, char** argv) {
    int value = 1;
    const char* how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    printf("before\n");
    fflush(stdout);
    if (strcmp(how, "handler") == 0) {
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(abort_handler, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    }
    if (strcmp(how, "called") == 0) MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    MPI_Send(&value, 1, MPI_INT, size_of(MPI_COMM_WORLD), 1, MPI_COMM_WORLD);
    printf("not reached\n");
    MPI_Finalize();
    return 0;
}
