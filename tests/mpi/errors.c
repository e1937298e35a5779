/* With MPI_ERRORS_RETURN an error is returned as a class. The tracer must pass it on, including errors inside of
 * statuses. Rank 0 prints what it got. Each rank sends to itself, so any number of ranks will do. */
#include "check.h"

static int class_of(int code) {
    int class;
    MPI_Error_class(code, &class);
    return class;
}

static void wrong_arguments(int size) {
    int value = 1;
    MPI_Request request;
    CHECK(class_of(MPI_Send(&value, 1, MPI_INT, size, 1, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Isend(&value, 1, MPI_INT, size + 7, 1, MPI_COMM_WORLD, &request)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Send(&value, -1, MPI_INT, 0, 1, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
    CHECK(class_of(MPI_Recv(&value, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) == MPI_ERR_TYPE);
    CHECK(class_of(MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD)) == MPI_ERR_ROOT);
    CHECK(class_of(MPI_Comm_rank(MPI_COMM_NULL, &value)) == MPI_ERR_COMM);
}

static void truncated_receive(int me, MPI_Status* status) {
    int sent[4] = {1, 2, 3, 4}, received[4] = {0};
    MPI_Request request;
    MPI_Isend(sent, 4, MPI_INT, me, 2, MPI_COMM_WORLD, &request);
    CHECK(class_of(MPI_Recv(received, 2, MPI_INT, me, 2, MPI_COMM_WORLD, status)) == MPI_ERR_TRUNCATE);
    CHECK(received[2] == 0 && received[3] == 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Three receives, of which the middle one is too short. */
static int truncated_waitall(int me, MPI_Status* statuses) {
    int sent[4] = {1, 2, 3, 4}, received[3][4] = {{0}};
    MPI_Request sends[3], receives[3];
    /* They are sent before the receives are posted: Open MPI does not notice that a message to itself is too long for a
     * receive that already waits. */
    for (int i = 0; i < 3; i++) MPI_Isend(sent, 4, MPI_INT, me, 10 + i, MPI_COMM_WORLD, &sends[i]);
    for (int i = 0; i < 3; i++)
        MPI_Irecv(received[i], i == 1 ? 2 : 4, MPI_INT, me, 10 + i, MPI_COMM_WORLD, &receives[i]);
    int class = class_of(MPI_Waitall(3, receives, statuses));
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    /* After an error, some may still be open, as the standard allows. */
    for (int i = 0; i < 3; i++) MPI_Wait(&receives[i], MPI_STATUS_IGNORE);
    CHECK(received[0][3] == 4 && received[2][3] == 4 && received[1][2] == 0);
    return class;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    /* If a handle is not a communicator, the handler of MPI_COMM_WORLD or of MPI_COMM_SELF is called. */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int me = rank_in(MPI_COMM_WORLD);
    MPI_Status status, statuses[3];
    wrong_arguments(size_of(MPI_COMM_WORLD));
    truncated_receive(me, &status);
    truncated_receive(me, MPI_STATUS_IGNORE);
    int class = truncated_waitall(me, statuses), ignoring = truncated_waitall(me, MPI_STATUSES_IGNORE);
    /* What each MPI reports differs a little, and the printed line has it; but each reports something. */
    CHECK(class == MPI_ERR_IN_STATUS || class == MPI_ERR_TRUNCATE);
    CHECK(ignoring == MPI_ERR_IN_STATUS || ignoring == MPI_ERR_TRUNCATE);
    if (class == MPI_ERR_IN_STATUS) CHECK(class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
    if (me == 0 && class == MPI_ERR_IN_STATUS)
        printf("statuses: %d %d %d\n", class_of(statuses[0].MPI_ERROR), class_of(statuses[1].MPI_ERROR),
               class_of(statuses[2].MPI_ERROR));
    if (me == 0)
        printf("truncated: recv tag %d, waitall class %d, ignoring statuses %d\n", status.MPI_TAG, class, ignoring);
    say_done("errors");
    MPI_Finalize();
    return 0;
}
