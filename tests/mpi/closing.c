/* Closes all descriptors that it did not open, as daemons do, and uses the numbers for files of its own: first all of
 * them, by dup2, and later a few. It then goes on to call MPI, and its files must hold what it wrote. An MPI needs its
 * descriptors and has them below 100, so that is where this program begins. Any number of ranks. */
#include "check.h"
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { first = 100, a_few = 3, rounds = 3000 };

static const char text[] = "what this program writes\n";

static int most(void) {
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const int usual = 1024, left_over = 24;
    return (limit.rlim_cur < (rlim_t)usual ? (int)limit.rlim_cur : usual) - left_over;
}

static void close_all(void) {
    for (int i = first; i < most() + 24; i++) close(i);
}

static int open_own(int rank, int number) {
    char name[64];
    snprintf(name, sizeof name, "closing-%d-%d.txt", rank, number);
    const int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0);
    CHECK(write(file, text, strlen(text)) == (ssize_t)strlen(text));
    return file;
}

static void check_own(int file) {
    char found[2 * sizeof text];
    CHECK(pread(file, found, sizeof found, 0) == (ssize_t)strlen(text));
    CHECK(memcmp(found, text, strlen(text)) == 0);
}

static void communicate(int rank, int ranks) {
    for (int i = 0; i < rounds; i++) {
        MPI_Request requests[2];
        int received = -1;
        MPI_Irecv(&received, 1, MPI_INT, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&i, 1, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(received == i);
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int rank = rank_in(MPI_COMM_WORLD), ranks = size_of(MPI_COMM_WORLD);
    close_all();
    const int own = open_own(rank, 0);
    for (int i = first; i < most(); i++) CHECK(dup2(own, i) == i);
    communicate(rank, ranks);
    for (int i = first; i < most(); i++) check_own(i);

    int few[a_few];
    close_all();
    for (int i = 0; i < a_few; i++) {
        few[i] = fcntl(open_own(rank, 1 + i), F_DUPFD, first);
        CHECK(few[i] >= first);
    }
    communicate(rank, ranks);
    for (int i = 0; i < a_few; i++) check_own(few[i]);
    check_own(own);
    say_done("closing");
    MPI_Finalize();
    return 0;
}
