/* Programs that lose time in one known way. Usage: planted PROBLEM SEED. Instead of computing, ranks sleep for
 * times that the seed determines. Rank 0 prints what was planted:
 *
 *     planted KIND VICTIM CAUSER FUNCTION CAUSER_FUNCTION SECONDS ROOT MEETING
 *
 * VICTIM and CAUSER are -1 for several ranks. FUNCTION is where they wait. ROOT is the rank that is to blame in the
 * end; -1: the causer. SECONDS is computed from the moments at which each rank came to its call, on a clock that all
 * ranks share, and not from the times that it was told to sleep: a busy machine wakes it later. MEETING are the seconds
 * that were lost because of that in the barriers before the problem and before its rounds. */
#include "core.h"
#include "marks.h"
#include "windows.h"

/* All ranks enter `call` at the same time, except for one that is late. */
typedef void collective(void);
static void late_in(collective* call, int causer) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == causer) work(seconds);
        mark();
        call();
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
        if (rank == 1) work(seconds);
        mark();
        if (rank == 1) send_to(0);
        if (rank == 0) receive_from(1);
    }
}

static void late_sender_of_wait(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        int value;
        MPI_Request request;
        if (rank == 0) MPI_Irecv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        meet();
        if (rank == 1) work(seconds);
        mark();
        if (rank == 1) {
            MPI_Isend(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (rank == 0) {
            MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        }
    }
}

static void late_sender_of_probe(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 1) work(seconds);
        mark();
        if (rank == 1) send_to(0);
        if (rank == 0) {
            MPI_Probe(1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            receive_from(1);
        }
    }
}

static void late_receiver(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 1) work(seconds);
        mark();
        if (rank == 0) MPI_Ssend(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) receive_from(0);
    }
}

/* Two sends wait in the same call, which ends with the later of their receivers. */
static void late_receiver_of_waitall(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        MPI_Request requests[2];
        for (int to = 1; rank == 0 && to <= 2; ++to)
            MPI_Issend(&rank, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[to - 1]);
        meet();
        if (rank == 1) work(seconds / 2);
        if (rank == 2) work(seconds);
        mark();
        if (rank == 0) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (rank == 1 || rank == 2) receive_from(0);
    }
}

/* All ranks send at the same time to one rank, which needs some time for each message. */
static void hot_receiver(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank != 0) {
            mark();
            MPI_Ssend(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
        for (int from = 1; rank == 0 && from < size; ++from) {
            work(seconds / 2);
            mark();
            receive_from(from);
        }
    }
}

/* Rank 1 sends first what is ready first, but rank 0 receives that last. */
static void wrong_order(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        int value;
        meet();
        if (rank == 1) {
            MPI_Send(&rank, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
            work(seconds);
        }
        mark();
        if (rank == 1) send_to(0);
        if (rank == 0) {
            receive_from(1);
            MPI_Recv(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void slow_rank_at_barrier(void) { late_in(barrier, size - 1); }

/* Each rank is late in turn, and nothing needs the barrier. */
static void unneeded_barrier(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        if (i % size == rank) work(seconds);
        mark();
        barrier();
    }
}

static void sum_all(void) {
    double mine = rank, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void imbalanced_loop(void) { late_in(sum_all, 0); }

/* The upper half of the ranks is slower; VT_TEST_CLOCK puts it on its own host. */
static void slow_host(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        work(rank < size / 2 ? 0.001 : seconds);
        mark();
        sum_all();
    }
}

/* Rank 1 is late. The other ranks except the root continue with something else. */
static void early_reduce(void) {
    double mine = rank, all;
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 1) work(seconds);
        mark();
        MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank > 1) work(seconds);
    }
}

static void broadcast(void) {
    double value = 1;
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void late_root(void) { late_in(broadcast, 0); }

static void scan(void) {
    double mine = rank, all;
    MPI_Scan(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void late_in_scan(void) { late_in(scan, 0); }

static void pairwise(void) {
    int counts[64] = {0}, places[64] = {0}, value[64] = {0}, out[64];
    for (int i = 0; i < size; ++i) places[i] = i, counts[i] = 1;
    MPI_Alltoallv(value, counts, places, MPI_INT, out, counts, places, MPI_INT, MPI_COMM_WORLD);
}
static void late_in_alltoallv(void) { late_in(pairwise, 1); }

static void later_sum(void) {
    double mine = rank, all;
    MPI_Request request;
    MPI_Iallreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void late_in_iallreduce(void) { late_in(later_sum, 0); }

/* Ranks in a ring. Rank 1 is late, and only its two neighbors wait for it. */
static void late_neighbor(void) {
    MPI_Comm ring;
    const int periodic = 1;
    int value[2] = {0};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 1) work(seconds);
        mark();
        MPI_Neighbor_allgather(&rank, 1, MPI_INT, value, 1, MPI_INT, ring);
        if (rank == 3) work(seconds); /* it does not wait for rank 1, and comes to the next meeting with the others */
    }
    MPI_Comm_free(&ring);
}

/* The ranks write one after the other, as if there were one disk. Each gives the turn to the next when it is done, and
 * continues with something else. */
static void serialized_io(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount() / 2;
        meet();
        mark();
        if (rank > 0) receive_from(rank - 1);
        work(seconds);
        mark();
        if (rank + 1 < size) send_to(rank + 1);
        work(seconds * (size - 1 - rank));
    }
}

/* Rank 0 is late. Each other rank passes on what it got, after the same work, so all ranks wait because of rank 0. */
static void chain_of_delays(void) {
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 0) work(seconds);
        mark();
        if (rank > 0) receive_from(rank - 1);
        mark();
        if (rank + 1 < size) send_to(rank + 1);
    }
}

/* Rank 1 is in two communicators: rank 0 waits for it in one, while it waits for rank 2 in the other. */
static void contention_of_communicators(void) {
    MPI_Comm first, second;
    double mine = rank, all;
    MPI_Comm_split(MPI_COMM_WORLD, rank <= 1 ? 0 : MPI_UNDEFINED, rank, &first);
    MPI_Comm_split(MPI_COMM_WORLD, rank >= 1 ? 0 : MPI_UNDEFINED, rank, &second);
    for (int i = 0; i < rounds; ++i) {
        const double seconds = amount();
        meet();
        if (rank == 2) work(seconds);
        mark();
        if (rank >= 1) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, second);
        mark();
        if (rank <= 1) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, first);
    }
    if (first != MPI_COMM_NULL) MPI_Comm_free(&first);
    if (second != MPI_COMM_NULL) MPI_Comm_free(&second);
}

/* One rank computes longer after the last collective. All others wait where the program ends. */
static void late_at_the_end(void) {
    meet();
    if (rank == 1)
        for (int i = 0; i < rounds; ++i) work(amount());
}

/* No time is lost: all ranks compute equally long. The marks tell how late a rank without a core was. */
static void clean(void) {
    for (int i = 0; i < rounds; ++i) {
        work(0.02);
        mark();
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
    waiting* waits;
    int root; /* -1: the causer */
} problems[] = {
    {"late_sender", late_sender, "late_sender", 0, 1, "MPI_Recv", "MPI_Send", first_for_second, -1},
    {"late_sender_of_wait", late_sender_of_wait, "late_sender", 0, 1, "MPI_Waitall", "MPI_Isend", first_for_second, -1},
    {"late_sender_of_probe", late_sender_of_probe, "late_sender", 0, 1, "MPI_Probe", "MPI_Send", first_for_second, -1},
    {"late_receiver", late_receiver, "late_receiver", 0, 1, "MPI_Ssend", "MPI_Recv", first_for_second, -1},
    {"late_receiver_of_waitall", late_receiver_of_waitall, "late_receiver", 0, 2, "MPI_Waitall", "MPI_Recv",
     first_for_others, -1},
    {"hot_receiver", hot_receiver, "late_receiver", -1, 0, "MPI_Ssend", "MPI_Recv", for_hot, -1},
    {"wrong_order", wrong_order, "wrong_order", 0, 1, "MPI_Recv", "MPI_Send", first_for_second, -1},
    {"slow_rank_at_barrier", slow_rank_at_barrier, "barrier", -1, -1, "MPI_Barrier", "MPI_Barrier", all_for_all, -1},
    {"unneeded_barrier", unneeded_barrier, "barrier", -1, -2, "MPI_Barrier", "MPI_Barrier", all_for_all, -1},
    {"imbalanced_loop", imbalanced_loop, "all_to_all", -1, 0, "MPI_Allreduce", "MPI_Allreduce", all_for_all, -1},
    {"slow_host", slow_host, "all_to_all", -1, -2, "MPI_Allreduce", "MPI_Allreduce", all_for_all, -1},
    {"early_reduce", early_reduce, "early_reduce", 0, 1, "MPI_Reduce", "MPI_Reduce", first_for_others, -1},
    {"late_root", late_root, "late_broadcast", -1, 0, "MPI_Bcast", "MPI_Bcast", others_for_first, -1},
    {"late_in_scan", late_in_scan, "prefix", -1, 0, "MPI_Scan", "MPI_Scan", for_those_in_front, -1},
    {"late_in_alltoallv", late_in_alltoallv, "all_to_all", -1, 1, "MPI_Alltoallv", "MPI_Alltoallv", all_for_all, -1},
    {"late_in_iallreduce", late_in_iallreduce, "all_to_all", -1, 0, "MPI_Wait", "MPI_Iallreduce", all_for_all, -1},
    {"late_neighbor", late_neighbor, "neighbors", -1, 1, "MPI_Neighbor_allgather", "MPI_Neighbor_allgather",
     for_neighbors, -1},
    {"fence_late", fence_late, "fence", -1, 0, "MPI_Win_fence", "MPI_Win_fence", all_for_all, -1},
    {"late_complete", late_complete, "late_complete", 0, 1, "MPI_Win_wait", "MPI_Win_complete", first_for_second, -1},
    {"held_lock", held_lock, "lock", 1, 0, "MPI_Win_lock", "MPI_Win_unlock", second_for_first, -1},
    {"serialized_io", serialized_io, "late_sender", -1, -2, "MPI_Recv", "MPI_Send", in_chain, -1},
    {"chain_of_delays", chain_of_delays, "late_sender", -1, -2, "MPI_Recv", "MPI_Send", in_chain, 0},
    {"contention_of_communicators", contention_of_communicators, "all_to_all", -1, -2, "MPI_Allreduce", "MPI_Allreduce",
     between_communicators, 2},
    {"late_at_the_end", late_at_the_end, "finalize", -1, 1, "MPI_Finalize", "MPI_Finalize", NULL, -1},
    {"clean", clean, "none", -1, -2, "-", "-", all_for_all, -1},
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
    meet(); /* or the first call that waits would show how unlike the ranks' starts were */
    problem->run();
    if (problem->run == late_at_the_end) mark();
    double lost = 0, lost_in_meetings = 0;
    /* A gather would make the others wait for the rank that is late at the end; for it waits.py compares the marks. */
    if (problem->waits != NULL) {
        const int count = problem->waits == for_hot ? rounds : marked; /* rank 0 is the hot receiver, and has more */
        lost = lost_by(problem->waits, marks, most_marks, count);
        lost_in_meetings = lost_by(all_for_all, meetings, rounds + 1, met);
    }
    if (rank == 0)
        printf("planted %s %d %d %s %s %.6f %d %.6f\n", problem->kind, problem->victim,
               problem->causer == -1 ? size - 1 : problem->causer, problem->function, problem->causer_function, lost,
               problem->root, lost_in_meetings);
    if (problem->run == late_at_the_end) printf("mark %d %.9f\n", rank, marks[0]);
    fflush(stdout);
    print_seconds_without_core();
    MPI_Finalize();
    return 0;
}
