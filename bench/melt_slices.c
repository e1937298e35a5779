/* LAMMPS in slices (slices.h), through its library: melt_slices INPUT SLICES UNMEASURED MEASURED, with numbers of
 * steps. Its functions are declared here as its manual has them, so that no package for developers is needed. */
#include "slices.h"

void* lammps_open(int argc, char** argv, MPI_Comm comm, void** handle);
void lammps_file(void* handle, const char* path);
char* lammps_command(void* handle, const char* command);
void lammps_close(void* handle);

static void run_steps(void* lammps, int steps) {
    char command[64];
    snprintf(command, sizeof command, "run %d pre no post no", steps);
    lammps_command(lammps, command);
}

int main(int argc, char** argv) {
    static char* words[] = {"lammps", "-screen", "none", "-log", "none", NULL};
    if (argc != 5) return 2;
    MPI_Init(&argc, &argv);
    void* const lammps = lammps_open(5, words, MPI_COMM_WORLD, NULL);
    lammps_file(lammps, argv[1]);
    run_slices(atoi(argv[2]), run_steps, lammps, atoi(argv[3]), atoi(argv[4]));
    lammps_close(lammps);
    MPI_Finalize();
    return 0;
}
