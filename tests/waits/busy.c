/* One of two ranks is late in a known way: busy HOW, with HOW one of
 *
 *    nap       asleep in nap()
 *    in_turn   asleep in nap() and in rest() by turns
 *    compute   on a core in compute()
 *    threads   asleep until a thread has computed, a thousand times one after the other
 *    fork      asleep in nap(), while its children load libraries
 *    paused    on a core in compute(), and four times in hidden(), with a second thread, while nothing is to be
 *              recorded of it
 */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { rounds = 20, milliseconds = 100 };

__attribute__((noinline)) static void nap(int ms) {
    usleep(1000 * (useconds_t)ms);
    __asm__ volatile(""); /* so that the call is not the last thing */
}

__attribute__((noinline)) static void rest(int ms) {
    usleep(1000 * (useconds_t)ms);
    __asm__ volatile("" ::: "memory");
}

static double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) static void compute(int ms) {
    volatile double x = 1;
    for (const double end = cpu_s() + 1e-3 * ms; cpu_s() < end;)
        for (int i = 0; i < 100000; i++) x = x * 1.0000001 + 1e-9;
}

__attribute__((noinline)) static void hidden(int ms) {
    volatile double x = 1;
    for (const double end = cpu_s() + 1e-3 * ms; cpu_s() < end;)
        for (int i = 0; i < 100000; i++) x = x * 1.0000001 + 1e-9;
}

static void* work(void* unused) {
    compute(1);
    return unused;
}

static void* work_hidden(void* unused) {
    hidden(6 * milliseconds);
    return unused;
}

static void one_after_the_other(int threads) {
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0) abort();
    }
}

/* A child whose parent held the loader's lock when it was born would hang here. */
static void have_children(int count) {
    for (int i = 0; i < count; i++) {
        const pid_t child = fork();
        if (child < 0) abort();
        if (child == 0) {
            void* const library = dlopen("libutil.so.1", RTLD_NOW);
            _exit(library != NULL && dlclose(library) == 0 ? 0 : 1);
        }
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0) abort();
        nap(milliseconds / count);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* how = argc > 1 ? argv[1] : "";
    for (int i = 0; i < rounds; i++) {
        if (rank == 1 && strcmp(how, "nap") == 0) nap(milliseconds);
        if (rank == 1 && strcmp(how, "in_turn") == 0) (i % 2 == 0 ? nap : rest)(milliseconds);
        if (rank == 1 && strcmp(how, "compute") == 0) compute(milliseconds);
        if (rank == 1 && strcmp(how, "threads") == 0) one_after_the_other(1000 / rounds);
        if (rank == 1 && strcmp(how, "fork") == 0) have_children(10);
        if (rank == 1 && strcmp(how, "paused") == 0) {
            compute(milliseconds);
            MPI_Pcontrol(0);
            pthread_t thread; /* which never calls MPI */
            const int hides = i % 5 == 0 && pthread_create(&thread, NULL, work_hidden, NULL) == 0;
            if (hides) hidden(3 * milliseconds);
            if (hides && pthread_join(thread, NULL) != 0) abort();
            MPI_Pcontrol(1);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    puts("done");
    return 0;
}
