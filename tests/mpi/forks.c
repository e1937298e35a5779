/* fork without exec: the children call harmless MPI functions; one exits, one is killed. The parent continues. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    for (int way = 0; way < 3; ++way) {
        const pid_t child = fork();
        if (child == 0) {
            int flag = 0;
            MPI_Initialized(&flag);
            int major = 0;
            int minor = 0;
            MPI_Get_version(&major, &minor);
            if (way == 0) _exit(flag && major >= 3 ? 7 : 8);
            if (way == 1) raise(SIGKILL);
            char* words[] = {"true", NULL};
            execv("/bin/true", words);
            _exit(9);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        if (way == 0) CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        if (way == 1) CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        if (way == 2) CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank_in(MPI_COMM_WORLD) == 0) printf("forks: done\n");
    MPI_Finalize();
    return 0;
}
