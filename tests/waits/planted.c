/* Programs that lose time in one known way: planted PROBLEM SEED. Ranks sleep where they would compute, for times that
 * the seed chooses. Rank 0 prints what was planted:
 *   planted KIND VICTIM CAUSER FUNCTION CAUSER_FUNCTION SECONDS      (VICTIM -1: several)
 * FUNCTION is where they wait; SECONDS is measured here, by clocks that all ranks share. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rounds = 10 };

static int rank, size;
static double lost; /* by this rank, as far as it can tell */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void work(double seconds) {
    const double end = now() + seconds;
    const struct timespec pause = {0, (long)(1e9 * seconds)};
    nanosleep(&pause, NULL);
    while (now() < end) {
    }
}

/* Of every round: the seed's choice, the same on all ranks. */
static double amount(void) { return 0.008 + 0.004 * rand() / RAND_MAX; }

static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

/* What all enter at once, but for one that is late: how long, as each of the others sees it. */
typedef void collective(void);
static int root;
static void late_in(collective* call, int causer, int only_victim) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == causer) work(seconds);
        const double begin = now();
        call();
        if (rank != causer && (only_victim < 0 || rank == only_victim)) lost += now() - begin;
    }
}

static void send_to(int to) { MPI_Send(&rank, 1, MPI_INT, to, 1, MPI_COMM_WORLD); }
static void receive_from(int from) {
    int value;
    MPI_Recv(&value, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_sender(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 1) {
            work(seconds);
            send_to(0);
        } else if (rank == 0) {
            const double begin = now();
            receive_from(1);
            lost += now() - begin;
        }
    }
}

static void late_sender_of_wait(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        int value;
        MPI_Request request;
        if (rank == 0) MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        meet();
        if (rank == 1) {
            work(seconds);
            MPI_Isend(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            const double begin = now();
            MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
            lost += now() - begin;
        }
    }
}

static void late_sender_of_probe(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 1) {
            work(seconds);
            send_to(0);
        } else if (rank == 0) {
            const double begin = now();
            MPI_Probe(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            lost += now() - begin;
            receive_from(1);
        }
    }
}

static void late_receiver(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 0) {
            const double begin = now();
            MPI_Ssend(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            lost += now() - begin;
        } else if (rank == 1) {
            work(seconds);
            receive_from(0);
        }
    }
}

static void late_receiver_of_wait(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        MPI_Request request;
        if (rank == 0) MPI_Issend(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        meet();
        if (rank == 0) {
            const double begin = now();
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            lost += now() - begin;
        } else if (rank == 1) {
            work(seconds);
            receive_from(0);
        }
    }
}

/* Rank 1 sends what is ready first; rank 0 wants it last. */
static void wrong_order(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        int value;
        meet();
        if (rank == 1) {
            MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
            work(seconds);
            send_to(0);
        } else if (rank == 0) {
            const double begin = now();
            receive_from(1);
            lost += now() - begin;
            MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void slow_rank_at_barrier(void) { late_in(barrier, size - 1, -1); }

static void sum_all(void) {
    double mine = rank, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void imbalanced_loop(void) { late_in(sum_all, 0, -1); }

static void reduce(void) {
    double mine = rank, all;
    MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}
static void early_reduce(void) { late_in(reduce, 1, root); }

static void broadcast(void) {
    double value = 1;
    MPI_Bcast(&value, 1, MPI_DOUBLE, root, MPI_COMM_WORLD);
}
static void late_root(void) { late_in(broadcast, root, -1); }

static void scan(void) {
    double mine = rank, all;
    MPI_Scan(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void late_in_scan(void) { late_in(scan, 0, -1); }

static void pairwise(void) {
    int counts[64] = {0}, places[64] = {0}, value[64] = {0}, out[64];
    for (int i = 0; i < size; ++i) places[i] = i, counts[i] = 1;
    MPI_Alltoallv(value, counts, places, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD);
}
static void late_in_alltoallv(void) { late_in(pairwise, 1, -1); }

static void later_sum(void) {
    double mine = rank, all;
    MPI_Request request;
    MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void late_in_iallreduce(void) { late_in(later_sum, 0, -1); }

static void fence_late(void) {
    int memory[8] = {0};
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof memory[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        meet();
        if (rank == 0) work(seconds);
        const double begin = now();
        MPI_Win_fence(0, win);
        if (rank != 0) lost += now() - begin;
    }
    MPI_Win_free(&win);
}

/* Nothing is lost: all compute the same, and say so. */
static void clean(void) {
    for (int i = 0; i < rounds; ++i) {
        work(0.02);
        sum_all();
    }
}

static const struct Problem {
    const char* name;
    void (*run)(void);
    const char* kind;
    int victim;
    int causer; /* -1: the last rank; -2: several */
    const char *function, *causer_function;
} problems[] = {
    {"late_sender", late_sender, "late_sender", 0, 1, "MPI_Recv", "MPI_Send"},
    {"late_sender_of_wait", late_sender_of_wait, "late_sender", 0, 1, "MPI_Waitall", "MPI_Isend"},
    {"late_sender_of_probe", late_sender_of_probe, "late_sender", 0, 1, "MPI_Probe", "MPI_Send"},
    {"late_receiver", late_receiver, "late_receiver", 0, 1, "MPI_Ssend", "MPI_Recv"},
    {"late_receiver_of_wait", late_receiver_of_wait, "late_receiver", 0, 1, "MPI_Wait", "MPI_Recv"},
    {"wrong_order", wrong_order, "wrong_order", 0, 1, "MPI_Recv", "MPI_Send"},
    {"slow_rank_at_barrier", slow_rank_at_barrier, "barrier", -1, -1, "MPI_Barrier", "MPI_Barrier"},
    {"imbalanced_loop", imbalanced_loop, "all_to_all", -1, 0, "MPI_Allreduce", "MPI_Allreduce"},
    {"early_reduce", early_reduce, "early_reduce", 0, 1, "MPI_Reduce", "MPI_Reduce"},
    {"late_root", late_root, "late_broadcast", -1, 0, "MPI_Bcast", "MPI_Bcast"},
    {"late_in_scan", late_in_scan, "prefix", -1, 0, "MPI_Scan", "MPI_Scan"},
    {"late_in_alltoallv", late_in_alltoallv, "all_to_all", -1, 1, "MPI_Alltoallv", "MPI_Alltoallv"},
    {"late_in_iallreduce", late_in_iallreduce, "all_to_all", -1, 0, "MPI_Wait", "MPI_Iallreduce"},
    {"fence_late", fence_late, "fence", -1, 0, "MPI_Win_fence", "MPI_Win_fence"},
    {"clean", clean, "none", -1, -2, "-", "-"},
};

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand(argc > 2 ? (unsigned)atoi(argv[2]) : 1);
    const struct Problem* problem = NULL;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i)
        if (argc > 1 && strcmp(argv[1], problems[i].name) == 0) problem = &problems[i];
    if (problem == NULL) {
        if (rank == 0)
            for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) printf("%s\n", problems[i].name);
        MPI_Finalize();
        return 2;
    }
    problem->run();
    double all = 0;
    MPI_Reduce(&lost, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("planted %s %d %d %s %s %.6f\n", problem->kind, problem->victim,
               problem->causer == -1 ? size - 1 : problem->causer, problem->function, problem->causer_function, all);
    MPI_Finalize();
    return 0;
}
