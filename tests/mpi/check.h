/* What the MPI test programs share: a check that ends the whole job and prints the place that failed, and the one line
 * that rank 0 prints at the end. Any thread may call it. */
#ifndef TACTUS_TESTS_MPI_CHECK_H
#define TACTUS_TESTS_MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) check_failed(#condition, __FILE__, __LINE__);                                                \
    } while (0)

static inline void check_failed(const char* condition, const char* file, int line) {
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

static inline int rank_in(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

static inline int size_of(MPI_Comm comm) {
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

/* Checks that a status describes `count` ints from `source` with `tag`. Calls MPI_Get_count once. */
#define check_status(status, source, tag, count)                                                                       \
    do {                                                                                                               \
        int counted_ints;                                                                                              \
        MPI_Get_count(status, MPI_INT, &counted_ints);                                                                 \
        CHECK((status)->MPI_SOURCE == (source));                                                                       \
        CHECK((status)->MPI_TAG == (tag));                                                                             \
        CHECK(counted_ints == (count));                                                                                \
    } while (0)

static inline void say_done(const char* name) {
    if (rank_in(MPI_COMM_WORLD) == 0) {
        printf("%s: all as it should be on %d ranks\n", name, size_of(MPI_COMM_WORLD));
        fflush(stdout);
    }
}

#endif
