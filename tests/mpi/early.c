/* What may be called before MPI_Init and after MPI_Finalize. Any number of ranks. */
#include "check.h"

int main(int argc, char** argv) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0, version = 0, subversion = 0, flag = 1;
    /* There is no MPI_Abort before MPI_Init, so a failure here becomes an exit status. */
    MPI_Get_library_version(text, &length);
    if (length <= 0 || text[0] == '\0') return 11;
    MPI_Get_version(&version, &subversion);
    if (version < 3) return 12;
    MPI_Initialized(&flag);
    if (flag) return 13;
    MPI_Finalized(&flag);
    if (flag) return 14;
    MPI_Init(&argc, &argv);
    MPI_Initialized(&flag);
    CHECK(flag);
    MPI_Finalized(&flag);
    CHECK(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    say_done("early");
    MPI_Finalize();
    MPI_Finalized(&flag);
    if (!flag) return 15;
    MPI_Initialized(&flag);
    return flag ? 0 : 16;
}
