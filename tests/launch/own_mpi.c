// Stands for a program that is linked with a static libmpich.a: it has the functions of the MPI that it calls.
#include <stdio.h>

int PMPI_Init(int* argc, char*** argv) { return argc == NULL && argv == NULL; }
int MPI_Init(int* argc, char*** argv) __attribute__((weak, alias("PMPI_Init")));
int MPI_Finalize(void) { return 0; }

int main(int argc, char** argv) {
    const int status = MPI_Init(&argc, &argv);
    printf("with its own MPI\n");
    return status + MPI_Finalize();
}
