/* Callbacks of the program whose last statement is a call of MPI. Compilers make a jump of it, so that the call returns
 * into the MPI. What these calls receive and send must be the same as from anywhere else. An even number of ranks. */
#include "check.h"
#include <string.h>
#include <unistd.h>

#define ENDS_WITH_A_JUMP __attribute__((noinline, optimize("O2")))

enum { most = 4096 };
static const int sizes[] = {0, 4, 8, 24, 100, 2060};
static char out[most], in[most];
static int partner, size;
static MPI_Request requests[2];
static MPI_Message message;
static MPI_Status status, statuses[2];

ENDS_WITH_A_JUMP static int wait_for_it(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Wait(requests, &status);
}
ENDS_WITH_A_JUMP static int wait_for_all(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Waitall(2, requests, statuses);
}
ENDS_WITH_A_JUMP static int receive_matched(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Mrecv(in, size, MPI_CHAR, &message, &status);
}
ENDS_WITH_A_JUMP static int send_it(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_Send(out, size, MPI_CHAR, partner, 1, MPI_COMM_WORLD);
}

/* Calls a function as the callback that deletes an attribute. */
static void call_back(MPI_Comm_delete_attr_function* function) {
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    CHECK(MPI_Comm_delete_attr(MPI_COMM_SELF, key) == MPI_SUCCESS);
    MPI_Comm_free_keyval(&key);
}

static void expect_message(const char* how) {
    char expected[most];
    int count;
    memset(expected, 'a' + partner, most);
    memset(expected + size, 0, (size_t)(most - size));
    MPI_Get_count(&status, MPI_CHAR, &count);
    if (memcmp(in, expected, most) != 0) printf("%s, %d bytes: other data\n", how, size);
    if (count != size) printf("%s: %d bytes of %d\n", how, count, size);
    if (status.MPI_SOURCE != partner || status.MPI_TAG != 1) printf("%s: another message\n", how);
    memset(in, 0, most);
    memset(&status, 0, sizeof status);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The callbacks of a request of the program's own. */
ENDS_WITH_A_JUMP static int complete_query(void* extra, MPI_Status* filled) {
    (void)extra;
    MPI_Status_set_cancelled(filled, 0);
    filled->MPI_SOURCE = partner, filled->MPI_TAG = 1;
    return MPI_Status_set_elements(filled, MPI_CHAR, size);
}
ENDS_WITH_A_JUMP static int complete_free(void* extra) {
    (void)extra;
    return MPI_Waitall(2, requests, statuses);
}
static int complete_cancel(void* extra, int complete) {
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void begin(void) {
    MPI_Irecv(in, size, MPI_CHAR, partner, 1, MPI_COMM_WORLD, requests);
    MPI_Isend(out, size, MPI_CHAR, partner, 1, MPI_COMM_WORLD, requests + 1);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int rank = rank_in(MPI_COMM_WORLD);
    partner = rank ^ 1;
    memset(out, 'a' + rank, most);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        size = sizes[i];
        begin();
        call_back(wait_for_it);
        MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
        expect_message("wait");

        begin();
        call_back(wait_for_all);
        status = statuses[0];
        expect_message("waitall");

        MPI_Isend(out, size, MPI_CHAR, partner, 1, MPI_COMM_WORLD, requests + 1);
        MPI_Mprobe(partner, 1, MPI_COMM_WORLD, &message, &status);
        call_back(receive_matched);
        MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
        expect_message("matched");

        MPI_Irecv(in, size, MPI_CHAR, partner, 1, MPI_COMM_WORLD, requests);
        call_back(send_it);
        MPI_Wait(requests, &status);
        expect_message("send");

        begin();
        MPI_Request own;
        MPI_Grequest_start(complete_query, complete_free, complete_cancel, NULL, &own);
        MPI_Grequest_complete(own);
        MPI_Wait(&own, &status);
        expect_message("own request");
    }
    /* With this hint a function of MPICH that is called through a pointer ends with a barrier of the MPI's own. */
    MPI_File file;
    MPI_Info hints;
    char name[64];
    snprintf(name, sizeof name, "/tmp/tactus-callbacks-%ld-%d", (long)getpid(), rank);
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "romio_synchronized_flush", "enable");
    CHECK(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, hints,
                        &file) == MPI_SUCCESS);
    MPI_Info_free(&hints);
    MPI_File_write(file, out, 8, MPI_CHAR, &status);
    CHECK(MPI_File_sync(file) == MPI_SUCCESS);
    MPI_File_close(&file);
    if (rank == 0) printf("callbacks: done\n");
    MPI_Finalize();
    return 0;
}
