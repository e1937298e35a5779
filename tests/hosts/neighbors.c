/* Messages between all neighbors for some seconds (argument 1, default 2): a ring, then ping-pongs of every pair. Any
 * number of ranks. At the end rank 0 prints for each rank its host, how many ranks share its memory, and what its clock
 * showed at the beginning and at the end: both the clock of the C library, which a preloaded library may have changed,
 * and that of the kernel. A clock is read around the call of MPI_Comm_test_inter with the number `call`, so that a
 * trace can be compared with it; `within_ns` is how long that took in all:
 *
 *   rank 1 host birch sharing 1 begin call 7 kernel_ns 81 libc_ns 81 within_ns 2 end call 23 kernel_ns 95 ...
 */
#include "check.h"

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { readings = 20, balls = 10, ring_tag = 1, ping_tag = 2, pause_us = 2000 };

typedef struct {
    int64_t kernel_ns, libc_ns, within_ns, call;
} Reading;

typedef struct {
    char host[64];
    int sharing;
    Reading begin, end;
} Seen;

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

static int64_t kernel_ns(void) {
    struct timespec time;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return nanoseconds(time);
}

static int64_t libc_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return nanoseconds(time);
}

/* The quickest of several readings, which nothing interrupted. `first` is the number of calls before it. */
static Reading read_clocks(int first) {
    Reading best = {.within_ns = INT64_MAX};
    for (int i = 0; i < readings; i++) {
        int inter;
        int64_t before = kernel_ns(), libc = libc_ns();
        MPI_Comm_test_inter(MPI_COMM_WORLD, &inter);
        int64_t within = kernel_ns() - before;
        size_of(MPI_COMM_WORLD); /* equal calls in a row would be one record */
        if (within >= best.within_ns) continue;
        best = (Reading){before + within / 2, libc, within, first + i};
    }
    return best;
}

static int ranks_in_this_memory(void) {
    MPI_Comm sharing;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &sharing);
    int size = size_of(sharing);
    MPI_Comm_free(&sharing);
    return size;
}

/* Lets other ranks run until a message has arrived. MPICH itself spins, and yields its core to none of the ranks that
 * share it. */
static void await(int source, int tag) {
    int there = 0;
    while (!there) {
        MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there) sched_yield();
    }
}

static void ring(int rank, int size) {
    int right = (rank + 1) % size, left = (rank + size - 1) % size, received = -1;
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_INT, left, ring_tag, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, right, ring_tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(received == left);
}

static void ping_pong(int rank, int low, int high) {
    for (int ball = 0; ball < balls; ball++) {
        int value = ball;
        if (rank == low) {
            MPI_Send(&value, 1, MPI_INT, high, ping_tag, MPI_COMM_WORLD);
            await(high, ping_tag);
            MPI_Recv(&value, 1, MPI_INT, high, ping_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(value == ball + 1);
        } else {
            await(low, ping_tag);
            MPI_Recv(&value, 1, MPI_INT, low, ping_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            CHECK(value++ == ball);
            MPI_Send(&value, 1, MPI_INT, low, ping_tag, MPI_COMM_WORLD);
        }
    }
}

static void talk(int rank, int size, int64_t end_ns) {
    for (int go_on = 1; go_on; MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD)) {
        ring(rank, size);
        for (int low = 0; low < size; low++)
            for (int high = low + 1; high < size; high++)
                if (rank == low || rank == high) ping_pong(rank, low, high);
        usleep(pause_us);
        go_on = kernel_ns() < end_ns;
    }
}

static void say_reading(const char* when, const Reading* reading) {
    printf(" %s call %d kernel_ns %lld libc_ns %lld within_ns %lld", when, (int)reading->call,
           (long long)reading->kernel_ns, (long long)reading->libc_ns, (long long)reading->within_ns);
}

static void say(const Seen* seen, int rank) {
    printf("rank %d host %s sharing %d", rank, seen->host, seen->sharing);
    say_reading("begin", &seen->begin);
    say_reading("end", &seen->end);
    printf("\n");
}

/* Replaces UCX's function for MPICH and completes at once. In MPI_Finalize, MPICH 4.0 waits until every connection is
 * flushed. Over TCP that needs an answer from the other side, which may already be in the launcher's barrier and not
 * react: with three ranks most runs hang (github.com/pmodels/mpich/pull/6596 removed the barrier). The connections end
 * with the process. */
void* ucp_disconnect_nb(void* endpoint);
void* ucp_disconnect_nb(void* endpoint) {
    (void)endpoint;
    return NULL;
}

int main(int argc, char** argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 2;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    Seen seen = {.sharing = ranks_in_this_memory()}, *all = calloc((size_t)size, sizeof seen);
    CHECK(gethostname(seen.host, sizeof seen.host - 1) == 0);
    seen.begin = read_clocks(0);
    talk(rank, size, seen.begin.kernel_ns + (int64_t)(seconds * 1e9));
    seen.end = read_clocks(readings);
    MPI_Gather(&seen, (int)sizeof seen, MPI_BYTE, all, (int)sizeof seen, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++) say(&all[i], i);
    free(all);
    say_done("neighbors");
    MPI_Finalize();
    return 0;
}
