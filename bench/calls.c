/* Times MPI calls in many small batches: calls BATCHES PATTERN... Rank 0 prints one JSON object for each pattern.
 *
 * A batch takes as long as about a hundred calls. The fifth percentile of the batches is the cost of a call when
 * nothing disturbs it. Patterns that begin with f_ call the Fortran procedures by the names that a Fortran compiler
 * gives them. These patterns have a parameter:
 *
 *   threads:N  has N threads, each with its own communicator, and prints the mean of their figures
 *   open:N     has N open requests at the same time
 *   comms:N    makes and frees N communicators
 *   soak:N     repeats `self` for N seconds
 *   bytes:N    is a ping-pong of N bytes, and prints half a round trip
 *   later:N    is the same, with receives that are posted before the messages are sent
 *   cpu:N      makes N rounds of `self`, and prints after MPI_Finalize the CPU time that the whole process used for
 *              them, with all threads, encoding and writing
 *   end:N      makes N round trips of `pingpong`, and prints how long MPI_Finalize took
 *
 * Rank i runs on the i-th core that this job may use. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { window = 64 };

static int rank, size;
static char sent[window][8], received[window][8];
static MPI_Request requests[2 * window];

struct Pattern {
    const char* name;
    void (*round)(void);
    int rounds; /* in each batch */
    int calls;  /* in each round, on rank 0 */
    int ranks;  /* number of ranks that it needs */
};

static void comm_rank(void) {
    int ignored;
    MPI_Comm_rank(MPI_COMM_WORLD, &ignored);
}

static void ping_pong(void) {
    if (rank == 0) MPI_Send(sent[0], 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(received[0], 8, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(sent[0], 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

static void window_of_64(void) {
    for (int i = 0; i < window; i++) MPI_Irecv(received[i], 8, MPI_BYTE, 1 - rank, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < window; i++)
        MPI_Isend(sent[i], 8, MPI_BYTE, 1 - rank, i, MPI_COMM_WORLD, &requests[window + i]);
    MPI_Waitall(2 * window, requests, MPI_STATUSES_IGNORE);
}

static void allreduce(void) {
    double mine = 1, sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void iprobe_miss(void) {
    int flag;
    MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static MPI_Request never = MPI_REQUEST_NULL;

/* Polls like HPCC's RandomAccess: there is one receive, for which no message arrives. */
static void testany_miss(void) {
    int index, flag;
    if (never == MPI_REQUEST_NULL) MPI_Irecv(received[1], 8, MPI_BYTE, 0, 98, MPI_COMM_WORLD, &never);
    MPI_Status status;
    MPI_Testany(1, &never, &index, &flag, &status);
}

static void self(void) {
    MPI_Irecv(received[0], 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(sent[0], 8, MPI_BYTE, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void mpi_comm_rank_(int* comm, int* rank, int* ierror);
void mpi_send_(void* buf, int* count, int* type, int* dest, int* tag, int* comm, int* ierror);
void mpi_recv_(void* buf, int* count, int* type, int* source, int* tag, int* comm, int* status, int* ierror);

static int f_world, f_byte, f_error, f_one = 1, f_eight = 8;

static void f_comm_rank(void) {
    int ignored;
    mpi_comm_rank_(&f_world, &ignored, &f_error);
}

static void f_ping_pong(void) {
    int f_status[16], zero = 0, other = 1 - rank;
    if (rank == 0) mpi_send_(sent[0], &f_eight, &f_byte, &f_one, &f_one, &f_world, &f_error);
    mpi_recv_(received[0], &f_eight, &f_byte, &other, &f_one, &f_world, f_status, &f_error);
    if (rank == 1) mpi_send_(sent[0], &f_eight, &f_byte, &zero, &f_one, &f_world, &f_error);
}

static char *large_out, *large_in;
static int large;

static void ping_pong_bytes(void) {
    if (rank == 0) MPI_Send(large_out, large, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(large_in, large, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(large_out, large, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

static void ping_pong_later(void) {
    MPI_Request request;
    MPI_Irecv(large_in, large, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &request);
    if (rank == 0) MPI_Send(large_out, large, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(large_out, large, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

static const struct Pattern patterns[] = {
    {"comm_rank", comm_rank, 100, 1, 1},
    {"pingpong", ping_pong, 100, 2, 2},
    {"window", window_of_64, 2, 129, 2},
    {"allreduce", allreduce, 100, 1, 2},
    {"iprobe", iprobe_miss, 100, 1, 1},
    {"testany", testany_miss, 100, 1, 1},
    {"self", self, 40, 3, 1},
    {"f_comm_rank", f_comm_rank, 100, 1, 1},
    {"f_pingpong", f_ping_pong, 100, 2, 2},
};

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* The peak memory of this program alone. That of getrusage includes the launcher's from before the exec. */
static long peak_kib(void) {
    char line[256];
    long peak = 0;
    FILE* status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %ld", &peak) == 1) break;
    if (status != NULL) fclose(status);
    return peak;
}

static int by_value(const void* left, const void* right) {
    double a = *(const double*)left, b = *(const double*)right;
    return (a > b) - (a < b);
}

static void time_pattern(const struct Pattern* pattern, int batches) {
    double* costs = malloc((size_t)batches * sizeof *costs);
    if (size > 1) MPI_Barrier(MPI_COMM_WORLD);
    for (int batch = -batches / 20; batch < batches; batch++) {
        double begin = seconds();
        for (int i = 0; i < pattern->rounds; i++) pattern->round();
        if (batch >= 0) costs[batch] = (seconds() - begin) / (pattern->rounds * pattern->calls) * 1e9;
    }
    qsort(costs, (size_t)batches, sizeof *costs, by_value);
    if (rank == 0)
        printf("{\"pattern\": \"%s\", \"p5_ns\": %.3f, \"median_ns\": %.3f, \"calls\": %ld}\n", pattern->name,
               costs[batches / 20], costs[batches / 2],
               (long)(batches + batches / 20) * pattern->rounds * pattern->calls * size);
    free(costs);
}

static void report(const char* pattern, double ns, double kib, long calls) {
    printf("{\"pattern\": \"%s\", \"p5_ns\": %.3f, \"kib\": %.3f, \"calls\": %ld}\n", pattern, ns, kib, calls);
}

/* One of several threads that run `self` at the same time. Each has its own communicator, requests and core. */
struct Team {
    pthread_t thread;
    MPI_Comm comm;
    int core, batches;
    double p5_ns;
    pthread_barrier_t* begin;
};

static void* time_self(void* argument) {
    enum { rounds = 40, calls = 3 };
    struct Team* me = argument;
    char from[8] = {0}, to[8];
    MPI_Request both[2];
    double* costs = malloc((size_t)me->batches * sizeof *costs);
    cpu_set_t chosen;
    CPU_ZERO(&chosen);
    CPU_SET(me->core, &chosen);
    pthread_setaffinity_np(pthread_self(), sizeof chosen, &chosen);
    pthread_barrier_wait(me->begin);
    for (int batch = -me->batches / 20; batch < me->batches; batch++) {
        double begin = seconds();
        for (int i = 0; i < rounds; i++) {
            MPI_Irecv(to, 8, MPI_BYTE, 0, 1, me->comm, &both[0]);
            MPI_Isend(from, 8, MPI_BYTE, 0, 1, me->comm, &both[1]);
            MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        }
        if (batch >= 0) costs[batch] = (seconds() - begin) / (rounds * calls) * 1e9;
    }
    qsort(costs, (size_t)me->batches, sizeof *costs, by_value);
    me->p5_ns = costs[me->batches / 20];
    free(costs);
    return NULL;
}

static void time_threads(int threads, int batches) {
    struct Team team[64];
    pthread_barrier_t begin;
    char name[32];
    double sum = 0;
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        team[i] = (struct Team){.core = i, .batches = batches, .begin = &begin};
        MPI_Comm_dup(MPI_COMM_SELF, &team[i].comm);
        pthread_create(&team[i].thread, NULL, time_self, &team[i]);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(team[i].thread, NULL);
        MPI_Comm_free(&team[i].comm);
        sum += team[i].p5_ns;
    }
    snprintf(name, sizeof name, "threads:%d", threads);
    report(name, sum / threads, 0, (long)(batches + batches / 20) * 40 * 3 * threads);
}

static void time_bytes(const char* name, void (*round)(void), int bytes, int batches) {
    const int rounds = bytes < 10000 ? 100 : bytes < 500000 ? 10 : 2;
    const struct Pattern pattern = {name, round, rounds, 2, 2};
    large = bytes;
    large_out = calloc(1, (size_t)bytes + 1);
    large_in = calloc(1, (size_t)bytes + 1);
    time_pattern(&pattern, bytes < 500000 ? batches : batches / 5);
    free(large_out);
    free(large_in);
}

/* Half of the requests are receives and half are sends. They are completed from the last to the first. */
static void time_open(int count) {
    enum { rounds = 5 };
    MPI_Request* all = malloc((size_t)count * sizeof *all);
    char name[32], (*to)[8] = malloc((size_t)count * sizeof *to);
    double best = 1e300;
    for (int round = 0; round < rounds; round++) {
        double begin = seconds();
        for (int i = 0; i < count / 2; i++) MPI_Irecv(to[i], 8, MPI_BYTE, 0, i, MPI_COMM_SELF, &all[i]);
        for (int i = 0; i < count / 2; i++) MPI_Isend(sent[0], 8, MPI_BYTE, 0, i, MPI_COMM_SELF, &all[count / 2 + i]);
        for (int i = count - 1; i >= 0; i--) MPI_Wait(&all[i], MPI_STATUS_IGNORE);
        double cost = (seconds() - begin) / (2 * count) * 1e9;
        if (cost < best) best = cost;
    }
    snprintf(name, sizeof name, "open:%d", count);
    report(name, best, (double)peak_kib(), 2L * count * rounds);
    free(all);
    free(to);
}

/* A hundred communicators exist at a time, as in a program that makes and frees them during its whole run. */
static void time_comms(int count) {
    enum { alive = 100 };
    MPI_Comm made[alive];
    char name[32];
    double begin = seconds();
    for (int i = 0; i < count; i += alive) {
        for (int k = 0; k < alive; k++) MPI_Comm_dup(MPI_COMM_WORLD, &made[k]);
        for (int k = 0; k < alive; k++) MPI_Comm_free(&made[k]);
    }
    snprintf(name, sizeof name, "comms:%d", count);
    report(name, (seconds() - begin) / count * 1e9, (double)peak_kib(), 2L * count);
}

/* Makes calls for `duration` seconds, and prints how many there were. */
static void soak(int duration) {
    enum { rounds = 1000 };
    long calls = 0;
    for (double end = seconds() + duration; seconds() < end; calls += 3 * rounds)
        for (int k = 0; k < rounds; k++) self();
    printf("{\"pattern\": \"soak\", \"calls\": %ld}\n", calls);
    fflush(stdout);
}

static void sit_on_own_core(void) {
    const char *openmpi = getenv("OMPI_COMM_WORLD_RANK"), *mpich = getenv("PMI_RANK");
    int own = atoi(openmpi != NULL ? openmpi : mpich != NULL ? mpich : "0");
    cpu_set_t allowed, chosen;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    own %= CPU_COUNT(&allowed);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &allowed) || own-- > 0) continue;
        CPU_ZERO(&chosen);
        CPU_SET(core, &chosen);
        if (sched_setaffinity(0, sizeof chosen, &chosen) != 0) perror("calls: cannot stay on one core");
        return;
    }
}

static const struct Pattern* find(const char* name) {
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (strcmp(patterns[i].name, name) == 0 && patterns[i].ranks == size) return &patterns[i];
    fprintf(stderr, "calls: there is no pattern %s for %d ranks\n", name, size);
    MPI_Abort(MPI_COMM_WORLD, 2);
    return NULL;
}

int main(int argc, char** argv) {
    long rounds = 0, round_trips = 0;
    double cpu_begin = 0;
    int level;
    sit_on_own_core();
    if (argc > 2 && strncmp(argv[2], "threads", 7) == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(&argc, &argv);
    f_world = MPI_Comm_c2f(MPI_COMM_WORLD);
    f_byte = MPI_Type_c2f(MPI_BYTE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int batches = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 2; i < argc && batches >= 20; i++) {
        int count = 0;
        if (sscanf(argv[i], "threads:%d", &count) == 1) {
            time_threads(count, batches);
            continue;
        }
        if (sscanf(argv[i], "bytes:%d", &count) == 1 || sscanf(argv[i], "later:%d", &count) == 1) {
            time_bytes(argv[i], argv[i][0] == 'b' ? ping_pong_bytes : ping_pong_later, count, batches);
            continue;
        }
        if (sscanf(argv[i], "open:%d", &count) == 1) {
            time_open(count);
            continue;
        }
        if (sscanf(argv[i], "comms:%d", &count) == 1) {
            time_comms(count);
            continue;
        }
        if (sscanf(argv[i], "soak:%d", &count) == 1) {
            soak(count);
            continue;
        }
        if (sscanf(argv[i], "end:%ld", &round_trips) == 1) {
            for (long k = 0; k < round_trips; k++) ping_pong();
            continue;
        }
        if (sscanf(argv[i], "cpu:%ld", &rounds) != 1) {
            time_pattern(find(argv[i]), batches);
            continue;
        }
        cpu_begin = cpu_seconds();
        for (long k = 0; k < rounds; k++) self();
    }
    if (never != MPI_REQUEST_NULL) {
        MPI_Cancel(&never);
        MPI_Wait(&never, MPI_STATUS_IGNORE);
    }
    double begin = seconds();
    MPI_Finalize();
    double finalize = seconds() - begin;
    if (rank == 0 && round_trips > 0)
        printf("{\"pattern\": \"end\", \"calls\": %ld, \"finalize_s\": %.6f, \"peak_kib\": %ld}\n", 2 * round_trips,
               finalize, peak_kib());
    if (rank == 0 && rounds > 0)
        printf("{\"pattern\": \"cpu\", \"calls\": %ld, \"cpu_ns\": %.3f, \"finalize_s\": %.6f, \"peak_kib\": %ld}\n",
               3 * rounds, (cpu_seconds() - cpu_begin) / (double)(3 * rounds) * 1e9, finalize, peak_kib());
    return batches >= 20 ? 0 : 2;
}
