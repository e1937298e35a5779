/* Makes MPI calls in every thread of every rank. After every call that returned, the thread adds one to its own counter
 * in a shared page. So the program itself keeps what a trace must contain. It ends as requested:
 *
 *   counted FILE THREADS ENDING [ROUNDS [RANK [THREAD]]]
 *
 * FILE has a page for each rank (struct Page; counters.py reads it). These ENDINGs happen in the given thread of the
 * given rank (-1: of every rank) after ROUNDS rounds, while the others continue: segv, abort, mpi_abort, exit, _exit,
 * signal:N (raised), barrier (killed while the others wait in one). With these, all ranks end in an orderly way:
 * finalize; own:N, own_late:N, ignore:N (N is raised, with a handler set before or after MPI_Init, or ignored); child:N
 * (a child of fork dies of it); rest (no thread makes a call until `go` is written into the page). `run` never ends.
 * Thread i makes its first call after thread i-1 made its first, so it has lane i. Its k-th send has tag k modulo
 * 32768. With COUNTED_SCARCE=descriptors the program has no descriptors left from MPI_Init on; with
 * COUNTED_SCARCE=memory:KIB it has only that much address space. */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { most_threads = 63, rounds_between_sums = 64, message_ints = 4 };

struct Counter {
    _Atomic unsigned long calls, at_end;
    char room[48];
};

struct Page {
    _Atomic long pid, end_ns, stage, signals, go, peak_kib;
    char room[16];
    struct Counter threads[most_threads];
};

enum Stage { starting = 1, running, finalizing, finalized };

static struct Page* page;
static int rank, ranks, threads, end_rank, end_thread;
static long rounds;
static const char *counter_file, *ending;
static int signal_number;
static volatile sig_atomic_t seen_signal;
static _Atomic int all_threads_exist;
static atomic_int stop;

#define COUNTED(thread, call)                                                                                          \
    do {                                                                                                               \
        call;                                                                                                          \
        atomic_store_explicit(&page->threads[thread].calls,                                                            \
                              atomic_load_explicit(&page->threads[thread].calls, memory_order_relaxed) + 1,            \
                              memory_order_relaxed);                                                                   \
    } while (0)

static int is(const char* name) { return strcmp(ending, name) == 0; }

static struct Page* map_page(const char* file, int number) {
    const int descriptor = open(file, O_RDWR);
    if (descriptor < 0) return NULL;
    void* mapped = mmap(NULL, sizeof(struct Page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, number * 4096L);
    close(descriptor);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static int from_launcher(const char* openmpi, const char* mpich, int otherwise) {
    const char* text = getenv(openmpi) != NULL ? getenv(openmpi) : getenv(mpich);
    return text == NULL ? otherwise : atoi(text);
}

static void on_signal(int number) {
    (void)number;
    seen_signal = 1;
    ++page->signals;
}

static void child_dies(void) {
    const pid_t child = fork();
    if (child == 0) {
        for (;;) pause();
    }
    struct timespec while_it_starts = {0, 20000000};
    nanosleep(&while_it_starts, NULL);
    kill(child, signal_number);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal_number);
    seen_signal = 1;
}

static void mark_end(void) {
    for (int i = 0; i < ranks; ++i) {
        struct Page* of_rank = i == rank ? page : map_page(counter_file, i);
        for (int k = 0; of_rank != NULL && k < threads; ++k) of_rank->threads[k].at_end = of_rank->threads[k].calls;
    }
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    page->end_ns = time.tv_sec * 1000000000L + time.tv_nsec;
}

static void end_now(void) {
    mark_end();
    if (is("segv")) *(volatile int*)NULL = 1;
    if (is("abort")) abort();
    if (is("mpi_abort")) MPI_Abort(MPI_COMM_WORLD, 7);
    if (is("exit")) exit(3);
    if (is("_exit")) _exit(3);
    if (is("signal") || is("own") || is("own_late") || is("ignore")) raise(signal_number);
    if (is("child")) child_dies();
    if (is("finalize") || is("ignore")) seen_signal = 1;
}

static void die_or_wait_in_barrier(void) {
    if (rank == end_rank) {
        sleep(2); /* by then the others are in the barrier, on a busy machine, too */
        mark_end();
        raise(SIGKILL);
    }
    COUNTED(0, MPI_Barrier(MPI_COMM_WORLD));
}

static void rest(void) {
    while (!page->go) usleep(1000);
    seen_signal = 1;
}

static void sum_up(void) {
    const int mine = seen_signal;
    int all = 0;
    COUNTED(0, MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    if (all > 0) stop = 1;
}

static void exchange(int thread, MPI_Comm own, long round) {
    int sent[message_ints] = {(int)round}, received[message_ints];
    const int tag = (int)(round & 0x7fff);
    MPI_Request request;
    COUNTED(thread, MPI_Irecv(received, message_ints, MPI_INT, 0, tag, own, &request));
    COUNTED(thread, MPI_Send(sent, message_ints, MPI_INT, 0, tag, own));
    COUNTED(thread, MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(received[0] == sent[0]);
}

static void one_round(int thread, MPI_Comm own, long round) {
    int value;
    COUNTED(thread, MPI_Comm_rank(own, &value));
    COUNTED(thread, MPI_Comm_rank(MPI_COMM_WORLD, &value));
    exchange(thread, own, round);
    for (int i = 0; round % 8 == 0 && i < 5; ++i) COUNTED(thread, MPI_Iprobe(0, 1, own, &value, MPI_STATUS_IGNORE));
    free(malloc((size_t)(round * 37 % 5000))); /* a signal may arrive while the allocator's lock is held */
    if (thread == 0 && round % rounds_between_sums == 0) sum_up();
}

static void* call_mpi(void* argument) {
    const int thread = (int)(long)argument;
    const int ends =
        thread == end_thread && (end_rank < 0 || end_rank == rank) && !is("run") && !is("barrier") && !is("rest");
    MPI_Comm own;
    COUNTED(thread, MPI_Comm_dup(MPI_COMM_SELF, &own));
    for (long round = 0; !stop; ++round) {
        if (is("finalize") && thread > 0 && round == rounds) break;
        if (ends && round == rounds) end_now();
        if (is("rest") && round == rounds) rest();
        if (is("barrier") && thread == 0 && round == rounds) die_or_wait_in_barrier();
        one_round(thread, own, round);
        if (round > 20000 && round % 8 == 0) usleep(2000); /* so that a trace can be read in a short time */
    }
    COUNTED(thread, MPI_Comm_free(&own));
    return NULL;
}

static void* call_mpi_in_turn(void* argument) {
    while (!all_threads_exist) usleep(100);
    while (page->threads[(long)argument - 1].calls == 0) usleep(100);
    return call_mpi(argument);
}

static void parse(int argc, char** argv) {
    counter_file = argv[1];
    threads = atoi(argv[2]);
    ending = argv[3];
    char* colon = strchr(argv[3], ':');
    if (colon != NULL) {
        *colon = '\0';
        signal_number = atoi(colon + 1);
    }
    rounds = argc > 4 ? atol(argv[4]) : 0;
    end_rank = argc > 5 ? atoi(argv[5]) : -1;
    end_thread = argc > 6 ? atoi(argv[6]) : 0;
}

static long status_kib(const char* name) {
    char line[256];
    long kib = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (strncmp(line, name, strlen(name)) == 0) kib = atol(line + strlen(name));
    if (status != NULL) fclose(status);
    return kib;
}

static void make_scarce(void) {
    const char* what = getenv("COUNTED_SCARCE");
    if (what == NULL) return;
    if (strncmp(what, "memory:", 7) == 0) {
        const rlim_t bytes = (rlim_t)(status_kib("VmSize:") + atol(what + 7)) << 10;
        const struct rlimit limit = {bytes, bytes};
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    } else {
        const struct rlimit limit = {1024, 1024};
        CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        while (dup(0) >= 0) continue;
    }
}

static void run_threads(void) {
    pthread_t handles[most_threads];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 18);
    /* No thread makes a call before all of them exist: what the tracer takes for a moment may be what the next thread's
     * stack needs. */
    for (int i = 1; i < threads; ++i) CHECK(pthread_create(&handles[i], &small, call_mpi_in_turn, (void*)(long)i) == 0);
    all_threads_exist = 1;
    while (page->threads[threads - 1].calls == 0) usleep(100);
    call_mpi(0);
    for (int i = 1; i < threads; ++i) CHECK(pthread_join(handles[i], NULL) == 0);
}

int main(int argc, char** argv) {
    if (argc < 4 || atoi(argv[2]) < 1 || atoi(argv[2]) > most_threads) return 2;
    parse(argc, argv);
    rank = from_launcher("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0);
    ranks = from_launcher("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);
    page = map_page(argv[1], rank);
    if (page == NULL) return 2;
    page->pid = getpid();
    page->stage = starting;
    if (is("own")) signal(signal_number, on_signal);
    if (is("ignore")) signal(signal_number, SIG_IGN);
    int level = 0;
    COUNTED(0, MPI_Init_thread(&argc, &argv, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level));
    if (is("own_late")) signal(signal_number, on_signal);
    make_scarce();
    page->stage = running;
    run_threads();
    if (rank == 0) printf("counted: done\n");
    fflush(stdout);
    page->stage = finalizing;
    COUNTED(0, MPI_Finalize());
    page->peak_kib = status_kib("VmPeak:");
    page->stage = finalized;
    return 0;
}
