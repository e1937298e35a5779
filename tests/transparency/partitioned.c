/* Partitioned communication (MPI 4): Pready one by one, as a range and as a list, Parrived; restarted, and completed by
 * several functions. Around a ring; any number of ranks. */
#include "say.h"

enum { parts = 6, per_part = 4, ints = parts * per_part };

static int me, right, left;
static int sent[ints], got[ints];

static void make_ready(int round, MPI_Request send) {
    int list[3] = {5, 3, 4};
    if (round % 3 == 0) {
        for (int i = parts - 1; i >= 0; i--) TRY(MPI_Pready(i, send));
    } else if (round % 3 == 1) {
        TRY(MPI_Pready_range(0, parts - 1, send));
    } else {
        TRY(MPI_Pready_range(0, 2, send));
        TRY(MPI_Pready_list(3, list, send));
    }
}

static void complete(int round, MPI_Request* both) {
    MPI_Status statuses[2] = {untouched_status(), untouched_status()};
    int flag = 0, index, finished = 0;
    if (round % 4 == 0) TRY(MPI_Waitall(2, both, statuses));
    if (round % 4 == 1) {
        TRY(MPI_Wait(&both[0], &statuses[0]));
        TRY(MPI_Wait(&both[1], &statuses[1]));
    }
    if (round % 4 == 2)
        while (!flag) MPI_Testall(2, both, &flag, statuses);
    while (round % 4 == 3 && finished++ < 2) MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    if (round % 4 != 3) say_status("received", &statuses[1], MPI_INT);
    say("null %d %d", both[0] == MPI_REQUEST_NULL, both[1] == MPI_REQUEST_NULL);
}

static void rounds(void) {
    MPI_Request both[2];
    TRY(MPI_Psend_init(sent, parts, per_part, MPI_INT, right, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]));
    TRY(MPI_Precv_init(got, parts, per_part, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]));
    for (int round = 0; round < 9; round++) {
        int arrived = 0;
        for (int i = 0; i < ints; i++) {
            sent[i] = me * 10000 + round * 100 + i;
            got[i] = -1;
        }
        TRY(MPI_Startall(2, both));
        make_ready(round, both[0]);
        for (int i = 0; i < parts; i++)
            for (arrived = 0; !arrived;) MPI_Parrived(both[1], i, &arrived);
        say_ints("arrived", got, ints);
        complete(round, both);
        TRY(MPI_Parrived(both[1], 2, &arrived));
        say("arrived %d", arrived);
    }
    TRY(MPI_Request_free(&both[0]));
    TRY(MPI_Request_free(&both[1]));
}

/* Different numbers of partitions on the two sides, with the same number of bytes. */
static void unequal(void) {
    MPI_Request both[2];
    MPI_Psend_init(sent, 2, ints / 2, MPI_INT, right, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
    MPI_Precv_init(got, 4, ints / 4, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
    memset(got, -1, sizeof got);
    TRY(MPI_Start(&both[1]));
    TRY(MPI_Start(&both[0]));
    TRY(MPI_Pready(1, both[0]));
    TRY(MPI_Pready(0, both[0]));
    TRY(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
    say_ints("unequal", got, ints);
    TRY(MPI_Request_free(&both[0]));
    TRY(MPI_Request_free(&both[1]));
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    int size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size;
    left = (me + size - 1) % size;
    rounds();
    if (argc > 1) unequal();
    say_out();
    MPI_Finalize();
    return 0;
}
