/* What no program should do and some programs do; argv[1] names it. A traced run must end like the untraced one. */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static pthread_t main_thread;

static void call_mpi(int signal_number) {
    (void)signal_number;
    if (!pthread_equal(pthread_self(), main_thread)) return; /* one of the MPI's own threads took the signal */
    for (int i = 0; i < 20; ++i) MPI_Wtime();
    ++signals;
}

static void leave(int signal_number) {
    (void)signal_number;
    exit(4);
}

static void tick(void (*handler)(int), int first_us, int then_us) {
    signal(SIGALRM, handler);
    const struct itimerval timer = {{0, then_us}, {0, first_us}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Erroneous arguments are returned as error classes. */
static void null_arrays(void) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int index = 0;
    int flag = 1;
    int class = 0;
    MPI_Status status;
    MPI_Error_class(MPI_Waitany(2, NULL, &index, &status), &class);
    printf("MPI_Waitany: %d\n", class);
    index = 0;
    MPI_Error_class(MPI_Testany(2, NULL, &index, &flag, &status), &class);
    printf("MPI_Testany: %d\n", class);
    MPI_Error_class(MPI_Wait(NULL, &status), &class);
    printf("MPI_Wait: %d\n", class);
}

/* A timer whose handler calls MPI, whatever the program is doing. */
static void handler_calls(void) {
    main_thread = pthread_self();
    tick(call_mpi, 100, 100);
    const double begin = MPI_Wtime();
    int rank;
    while (MPI_Wtime() - begin < 1.5)
        for (int i = 0; i < 100; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    tick(SIG_IGN, 0, 0);
    CHECK(signals > 10);
}

/* A limit on the size of files, which sends SIGXFSZ to a process that writes more. */
static void file_limit(void) {
    const struct rlimit limit = {65536, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    int found;
    for (int i = 0; i < 2000000; ++i) { /* two functions in turn, since equal calls in a row are one record */
        MPI_Comm_rank(MPI_COMM_WORLD, &found);
        MPI_Comm_size(MPI_COMM_WORLD, &found);
    }
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "library_init") == 0) { /* a library starts MPI unnoticed by the tools, after an earlier call */
        int flag = 0;
        MPI_Initialized(&flag);
        PMPI_Init(&argc, &argv);
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm_free(&copy);
        printf("library_init: done\n");
        PMPI_Finalize();
        return 0;
    }
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    const int rank = rank_in(MPI_COMM_WORLD);
    if (strcmp(what, "null_arrays") == 0 && rank == 0) null_arrays();
    if (strcmp(what, "handler_calls") == 0) handler_calls();
    if (strcmp(what, "file_limit") == 0) file_limit();
    if (strcmp(what, "late") == 0 && rank == 1) sleep(4); /* the others wait in MPI_Finalize */
    if (strcmp(what, "exit_in_handler") == 0) {
        tick(leave, 30000, 0);
        for (int own = 0;;) MPI_Comm_rank(MPI_COMM_WORLD, &own);
    }
    if (rank == 0) printf("%s: done\n", what);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
