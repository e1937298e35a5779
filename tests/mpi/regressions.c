/* What once failed under the tracer; argv[1] names the case. */
#include "check.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* More channels than expected, all completed by one call. It is run with a filter that records nothing. */
static void many_channels(void) {
    enum { comms = 400 };
    static MPI_Comm made[comms];
    static MPI_Request requests[2 * comms];
    static int to[comms];
    int value = 7;
    for (int i = 0; i < comms; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &made[i]);
        MPI_Irecv(&to[i], 1, MPI_INT, 0, 0, made[i], &requests[i]);
        MPI_Isend(&value, 1, MPI_INT, 0, 0, made[i], &requests[comms + i]);
    }
    MPI_Waitall(2 * comms, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < comms; i++) {
        CHECK(to[i] == 7);
        MPI_Comm_free(&made[i]);
    }
}

static void forks(void* in, void* inout, int* count, MPI_Datatype* type) {
    (void)in, (void)inout, (void)count, (void)type;
    static int forked;
    if (!forked++ && fork() == 0) forked = -1000; /* the child returns through the call, and ends in main */
}

static void fork_in_callback(void) {
    MPI_Op op;
    int in = 1, inout = 2, status = -1;
    pid_t self = getpid();
    MPI_Op_create(forks, 1, &op);
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    if (getpid() != self) _exit(0);
    wait(&status);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    MPI_Op_free(&op);
}

static void ignored_origin(void) {
    int memory = 5, result = 0; /* MPICH 4.0.2 does not set this as it should */
    MPI_Win win;
    MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(NULL, 1, MPI_DATATYPE_NULL, &result, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    if (strcmp(what, "many_channels") == 0) many_channels();
    if (strcmp(what, "fork_in_callback") == 0) fork_in_callback();
    if (strcmp(what, "ignored_origin") == 0) ignored_origin();
    say_done(what);
    MPI_Finalize();
    return 0;
}
