/* When each rank came to what counts, and what others lost by it, as far as the marks of all ranks say. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rounds = 10, most_marks = 4 * rounds };

static int rank, size;
static double marks[most_marks]; /* when this rank came to what counts */
static int marked;
static double factor = 1;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void mark(void) { marks[marked++] = now(); }

static void work(double seconds) {
    const double end = now() + seconds;
    const struct timespec pause = {0, (long)(1e9 * seconds)};
    nanosleep(&pause, NULL);
    while (now() < end) {
    }
}

/* Of every round: the seed's choice, the same on all ranks. */
static double amount(void) { return factor * (0.008 + 0.004 * rand() / RAND_MAX); }

/* Whether `victim` waits for `causer` at their k-th marks. */
typedef int waiting(int victim, int causer, int k);
static int all_for_all(int victim, int causer, int k) { return (void)k, victim != causer; }
static int first_for_second(int victim, int causer, int k) { return (void)k, victim == 0 && causer == 1; }
static int second_for_first(int victim, int causer, int k) { return (void)k, victim == 1 && causer == 0; }
static int first_for_others(int victim, int causer, int k) { return (void)k, victim == 0 && causer > 0; }
static int others_for_first(int victim, int causer, int k) { return (void)k, victim > 0 && causer == 0; }
static int for_those_in_front(int victim, int causer, int k) { return (void)k, causer < victim; }
static int for_neighbors(int victim, int causer, int k) {
    return (void)k, causer == (victim + 1) % size || victim == (causer + 1) % size;
}
/* Of two marks a round: rank 1 for rank 2 at the first, rank 0 for rank 1 at the second. */
static int between_communicators(int victim, int causer, int k) { return causer == victim + 1 && victim == 1 - k % 2; }
/* Of two marks a round, before the receive and before the send: each until the one in front comes to its send. */
static int in_chain(int victim, int causer, int k) { return k % 2 == 0 && causer == victim - 1; }
/* Of the hot receiver, who has a mark for each sender in each round: all for the first. */
static int for_hot(int victim, int causer, int k) { return (void)k, victim > 0 && causer == 0; }

/* Which mark of the causer's that is. */
static int causers_mark(waiting* waits, int victim, int k) {
    if (waits == in_chain) return k + 1;
    return waits == for_hot ? k * (size - 1) + victim - 1 : k;
}

/* Each waits for the last of those that it waits for. `all`: rank r's k-th mark stands at [r * most_marks + k]. */
static double lost_by(waiting* waits, const double* all) {
    const int count = waits == for_hot ? rounds : marked; /* rank 0, the hot one, has more */
    double lost = 0;
    for (int k = 0; k < count; ++k)
        for (int victim = 0; victim < size; ++victim) {
            const double came = all[victim * most_marks + k];
            double last = came;
            for (int causer = 0; causer < size; ++causer) {
                if (!waits(victim, causer, k)) continue;
                const double given = all[causer * most_marks + causers_mark(waits, victim, k)];
                if (given > last) last = given;
            }
            lost += last - came;
        }
    return lost;
}
