/* Calls with arguments that an MPI may accept or refuse: no elements of a null type, null buffers and handles, tags and
 * ranks that do not exist, released types. For each case (make_cases.py) the process says how the call ended, what it
 * received, and what the error handler was told. One rank sends to itself.
 *
 *   arguments [released]
 *
 * Only with `released` are there also cases with a type that the program has freed. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int out[8] = {1, 2, 3, 4, 5, 6, 7, 8}, in[8];
static int flag, number, indices[2], over_largest_tag, handled, handled_code;
static MPI_Status status, statuses[2];
static MPI_Request request, requests[2], partner;
static MPI_Message message, no_message;
static MPI_Datatype uncommitted, released;

static void handler(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    handled_code = *code;
    ++handled;
}

/* What a case needs before its call. The partner is the other side of its message. */
static void sends(void) { MPI_Irecv(in, 8, MPI_INT, 0, 5, MPI_COMM_WORLD, &partner); }
static void receives(void) { MPI_Isend(out, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, &partner); }
static void exchanges(void) {}
static void probes(void) { receives(); }
static void matched(void) {
    receives();
    MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
}
static void completes(void) {}

static void clear(void) {
    request = requests[0] = requests[1] = partner = MPI_REQUEST_NULL;
    message = MPI_MESSAGE_NULL;
    no_message = MPI_MESSAGE_NO_PROC;
    handled = handled_code = flag = 0;
    number = indices[0] = indices[1] = -3;
    memset(in, 0x55, sizeof in);
}

enum finish { done, begun, init };

static void end_request(enum finish finish, int rc) {
    if (request == MPI_REQUEST_NULL) return;
    if (finish == begun && rc == MPI_SUCCESS) MPI_Wait(&request, &status);
    if (finish == init) MPI_Request_free(&request);
}

/* Ends what the case left open: a message that nobody received, or a receive that got nothing. */
static void end_partner(void (*prepare)(void)) {
    if (partner == MPI_REQUEST_NULL) return;
    if (prepare == sends) {
        int is_done = 0;
        MPI_Test(&partner, &is_done, &status);
        if (is_done) return;
        MPI_Cancel(&partner);
        MPI_Wait(&partner, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Message left = message;
    int there = 1;
    if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
        MPI_Improbe(0, 5, MPI_COMM_WORLD, &there, &left, MPI_STATUS_IGNORE);
    if (there && left != MPI_MESSAGE_NULL) MPI_Mrecv(in, 8, MPI_INT, &left, MPI_STATUS_IGNORE);
    MPI_Wait(&partner, MPI_STATUS_IGNORE);
}

static int received(void) {
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum = sum * 31 + (in[i] == 0x55555555 ? 0 : in[i]);
    return sum;
}

static void tell(const char* name, int rc) {
    int class = MPI_SUCCESS, handled_class = MPI_SUCCESS;
    if (rc != MPI_SUCCESS) MPI_Error_class(rc, &class);
    if (handled > 0) MPI_Error_class(handled_code, &handled_class);
    printf("%s: class %d, the handler %d times with %d, received %d\n", name, class, handled, handled_class,
           received());
}

#define CASE(name, prepare, call, finish)                                                                              \
    if (with_released || !strstr(name, "released")) {                                                                  \
        clear();                                                                                                       \
        prepare();                                                                                                     \
        const int rc = call;                                                                                           \
        end_request(finish, rc);                                                                                       \
        tell(name, rc);                                                                                                \
        end_partner(prepare);                                                                                          \
    }

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int with_released = argc > 1;
    MPI_Errhandler errhandler;
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errhandler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, errhandler);
    int has_largest = 0, *largest = NULL;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &has_largest);
    over_largest_tag = *largest < 0x7fffffff ? *largest + 1 : -8;
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    MPI_Type_contiguous(2, MPI_INT, &released);
    MPI_Type_commit(&released);
    MPI_Datatype handle = released;
    MPI_Type_free(&handle);
    char* space[1024];
    MPI_Buffer_attach(space, sizeof space);
#include "cases.gen.h"
    void* back;
    int size;
    MPI_Buffer_detach(&back, &size);
    MPI_Type_free(&uncommitted);
    MPI_Errhandler_free(&errhandler);
    MPI_Finalize();
    return 0;
}
