/* What a header before every message could disturb: receives larger than their message, truncation, counts and elements
 * of incomplete types, buffers at unusual addresses, errors and whose handler is called, MPI_PROC_NULL as partner,
 * exact buffers for MPI_Bsend, and requests that are freed, queried, cancelled or started again. The sizes are around
 * those at which a tool may choose another method, and an MPI another protocol. Around a ring; any number of ranks. */
#include "say.h"
#include <stddef.h>

enum { most = 1 << 18, sizes = 14 };
static const int bytes_of[sizes] = {0, 1, 8, 24, 100, 1000, 4072, 4096, 8168, 8192, 8193, 16384, 65536, 200000};

#ifdef MPICH_VERSION
enum { longest_truncated = 4096 }; /* the sender sometimes never learns of longer ones (4.0.2) */
#else
enum { longest_truncated = most };
#endif

static int me, right, left;
static char *out, *in;

static void fill(void) {
    for (int i = 0; i < most; i++) out[i] = (char)(i * 7 + i / 251 + me), in[i] = (char)0x77;
}

/* Messages of every size, received into more space than they need. */
static void larger_receives(void) {
    MPI_Status status, both[2];
    MPI_Request requests[2];
    for (int i = 0; i < sizes; i++) {
        int n = bytes_of[i];
        fill();
        status = untouched_status();
        TRY(MPI_Irecv(in, n + 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]));
        TRY(MPI_Isend(out, n, MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[1]));
        both[0] = untouched_status();
        TRY(MPI_Waitall(2, requests, both));
        say_status("irecv", &both[0], MPI_CHAR);
        say_bytes("irecv", in, most);
        fill();
        TRY(MPI_Isend(out, n, MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[1]));
        TRY(MPI_Recv(in, n + 1, MPI_CHAR, left, i, MPI_COMM_WORLD, &status));
        TRY(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        say_status("recv", &status, MPI_CHAR);
        say_bytes("recv", in, most);
        fill();
        TRY(MPI_Sendrecv(out, n, MPI_BYTE, right, i, in, most, MPI_BYTE, left, i, MPI_COMM_WORLD, &status));
        say_status("sendrecv", &status, MPI_BYTE);
        say_bytes("sendrecv", in, most);
        TRY(MPI_Sendrecv_replace(out, n, MPI_BYTE, right, i, left, i, MPI_COMM_WORLD, &status));
        say_status("sendrecv_replace", &status, MPI_BYTE);
        say_bytes("sendrecv_replace", out, most);
    }
}

/* A message that is too long: the error, the content of the buffer, and the messages after it. The count is not
 * checked, because MPICH leaves it as it was, nor what follows the buffer, because Open MPI overwrites it with long
 * messages. */
static void truncation(void) {
    MPI_Status status, both[2];
    MPI_Request requests[2];
    for (int i = 1; i < sizes && bytes_of[i] <= longest_truncated; i++) {
        int n = bytes_of[i];
        fill();
        status = untouched_status();
        MPI_Isend(out, n, MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[1]);
        TRY(MPI_Recv(in, n / 2, MPI_CHAR, left, i, MPI_COMM_WORLD, &status));
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        say("recv: source %d tag %d", status.MPI_SOURCE, status.MPI_TAG);
        say_bytes("recv", in, (size_t)n / 2);
        for (int room = n / 2;; room = 0) {
            fill();
            MPI_Irecv(in, room, MPI_CHAR, left, i, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(out, n, MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[1]);
            both[0] = both[1] = untouched_status();
            TRY(MPI_Waitall(2, requests, both));
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE); /* it may still be pending */
            say_code("irecv", both[0].MPI_ERROR);
            say("irecv: source %d tag %d", both[0].MPI_SOURCE, both[0].MPI_TAG);
            say_bytes("irecv", in, (size_t)room);
            if (room == 0) break;
        }
        fill();
        MPI_Isend(out, n, MPI_CHAR, 0, i, MPI_COMM_SELF, &requests[1]);
        TRY(MPI_Recv(in, n / 2, MPI_CHAR, 0, i, MPI_COMM_SELF, &status));
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        say_bytes("recv of its own", in, (size_t)n / 2);
        fill();
        MPI_Isend(out, 5, MPI_CHAR, right, i, MPI_COMM_WORLD, &requests[1]);
        TRY(MPI_Recv(in, 9, MPI_CHAR, left, i, MPI_COMM_WORLD, &status));
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        say_status("behind it", &status, MPI_CHAR);
        say_bytes("behind it", in, most);
    }
}

/* Sends and receives one number of elements of a type, and prints what arrived. */
static void pass(const char* what, const void* from, int sent, void* to, int room, MPI_Datatype type) {
    MPI_Status status = untouched_status();
    MPI_Request request;
    MPI_Isend(from, sent, type, right, 5, MPI_COMM_WORLD, &request);
    TRY(MPI_Recv(to, room, type, left, 5, MPI_COMM_WORLD, &status));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say("%s", what);
    say_status("in elements", &status, type);
    say_status("in bytes", &status, MPI_BYTE);
    say_bytes("data", in, most);
    MPI_Irecv(to, room, type, left, 6, MPI_COMM_WORLD, &request);
    MPI_Send(from, sent, type, right, 6, MPI_COMM_WORLD);
    status = untouched_status();
    TRY(MPI_Wait(&request, &status));
    say_status("irecv", &status, type);
    say_bytes("data", in, most);
}

static void datatypes(void) {
    MPI_Datatype vector, negative, absolute, pair, gaps;
    MPI_Aint from, to;
    struct two {
        double a;
        int b;
    };
    const MPI_Aint places[2] = {offsetof(struct two, a), offsetof(struct two, b)};
    const int lengths[2] = {1, 1};
    const MPI_Datatype members[2] = {MPI_DOUBLE, MPI_INT};

    fill();
    MPI_Type_vector(50, 3, 7, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    pass("vector", out, 3, in, 5, vector);
    fill();
    MPI_Type_create_resized(vector, -64, 4000, &negative);
    MPI_Type_commit(&negative);
    pass("negative lower bound", out + 64, 4, in + 64, 4, negative);
    MPI_Type_free(&vector);
    MPI_Type_free(&negative);

    fill();
    MPI_Type_create_struct(2, lengths, places, members, &gaps);
    MPI_Type_create_resized(gaps, 0, sizeof(struct two), &pair);
    MPI_Type_commit(&pair);
    pass("pairs", out, 20, in, 30, pair);
    fill();
    pass("MPI_DOUBLE_INT", out, 3, in, 4, MPI_DOUBLE_INT);
    fill();
    MPI_Status status = untouched_status();
    MPI_Request request;
    MPI_Isend(out, 20, MPI_BYTE, right, 7, MPI_COMM_WORLD, &request); /* one pair, and two thirds of another */
    TRY(MPI_Recv(in, 4, pair, left, 7, MPI_COMM_WORLD, &status));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_status("half a pair", &status, pair);
    MPI_Type_free(&gaps);
    MPI_Type_free(&pair);

    fill();
    MPI_Get_address(out, &from);
    MPI_Get_address(in, &to);
    const int length = 300;
    MPI_Type_create_hindexed(1, &length, &from, MPI_SHORT, &absolute);
    MPI_Type_commit(&absolute);
    MPI_Datatype there;
    MPI_Type_create_hindexed(1, &length, &to, MPI_SHORT, &there);
    MPI_Type_commit(&there);
    MPI_Isend(MPI_BOTTOM, 1, absolute, right, 8, MPI_COMM_WORLD, &request);
    TRY(MPI_Recv(MPI_BOTTOM, 1, there, left, 8, MPI_COMM_WORLD, &status));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_status("absolute", &status, MPI_SHORT);
    say_bytes("absolute", in, most);
    MPI_Type_free(&absolute);
    MPI_Type_free(&there);

    /* A handle that is reused at once for another type, and is freed while it is under way. */
    for (int i = 1; i < 6; i++) {
        MPI_Datatype type;
        fill();
        MPI_Type_vector(i, i, 2 * i, MPI_SHORT, &type);
        MPI_Type_commit(&type);
        MPI_Isend(out, 2, type, right, 9, MPI_COMM_WORLD, &request);
        MPI_Type_free(&type);
        MPI_Type_contiguous(2 * i, MPI_SHORT, &type);
        TRY(MPI_Send(out, 1, type, MPI_PROC_NULL, 9, MPI_COMM_WORLD)); /* not committed */
        MPI_Type_commit(&type);
        TRY(MPI_Recv(in, 30, type, left, 9, MPI_COMM_WORLD, &status));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        say_status("reused", &status, type);
        say_bytes("reused", in, 4096);
        MPI_Type_free(&type);
    }
}

static int heard;
static void hear(MPI_Comm* comm, int* code, ...) {
    int family, compared = untouched;
    MPI_Error_class(*code, &family);
    MPI_Comm_compare(*comm, MPI_COMM_WORLD, &compared);
    say("handler: class %d, of MPI_COMM_WORLD %d", family, compared == MPI_IDENT);
    heard++;
}

static void mistakes(void) {
    MPI_Comm comm;
    MPI_Errhandler handler, back;
    MPI_Datatype raw;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int values[4] = {1, 2, 3, 4}, size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_get_errhandler(comm, &back);
    MPI_Type_contiguous(2, MPI_INT, &raw);
    for (int to = 0; to < 2; to++) {
        int peer = to == 0 ? right : MPI_PROC_NULL;
        TRY(MPI_Send(values, -1, MPI_INT, peer, 1, comm));
        TRY(MPI_Send(values, 1, MPI_DATATYPE_NULL, peer, 1, comm));
        TRY(MPI_Send(values, 1, raw, peer, 1, comm));
        TRY(MPI_Send(NULL, 4, MPI_INT, peer, 1, comm));
        TRY(MPI_Send(values, 4, MPI_INT, peer, -5, comm));
        TRY(MPI_Isend(values, 1, raw, peer, 1, comm, &request));
        TRY(MPI_Bsend(values, -3, MPI_INT, peer, 1, comm));
        TRY(MPI_Irecv(values, -1, MPI_INT, peer, 1, comm, &request));
        TRY(MPI_Irecv(values, 1, raw, peer, 1, comm, &request));
        TRY(MPI_Recv(NULL, 4, MPI_INT, peer, 1, comm, &status));
        TRY(MPI_Send_init(values, 1, raw, peer, 1, comm, &request));
        TRY(MPI_Recv_init(values, -1, MPI_INT, peer, 1, comm, &request));
        TRY(MPI_Sendrecv(values, 1, raw, peer, 1, values, 1, MPI_INT, peer, 1, comm, &status));
        TRY(MPI_Sendrecv_replace(values, -1, MPI_INT, peer, 1, peer, 1, comm, &status));
    }
    TRY(MPI_Send(values, 4, MPI_INT, size + 5, 1, comm));
    TRY(MPI_Recv(values, 4, MPI_INT, size + 5, 1, comm, &status));
    TRY(MPI_Send(values, 1, MPI_INT, right, 1, MPI_COMM_NULL));
    say("handled %d", heard);
    MPI_Type_commit(&raw);
    MPI_Isend(values, 2, raw, right, 2, comm, &request);
    TRY(MPI_Recv(in, 4, MPI_INT, left, 2, comm, &status));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    say_status("after all that", &status, MPI_INT);
    MPI_Type_free(&raw);
    MPI_Errhandler_free(&back);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

static void nobody(void) {
    int values[4] = {1, 2, 3, 4};
    MPI_Status status = untouched_status();
    MPI_Request requests[2];
    TRY(MPI_Send(values, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    TRY(MPI_Recv(values, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
    say_status("recv", &status, MPI_INT);
    TRY(MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
    say_status("probe", &status, MPI_INT);
    TRY(MPI_Isend(values, 4, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Sendrecv(values, 4, MPI_INT, MPI_PROC_NULL, 1, in, 4, MPI_INT, left, 2, MPI_COMM_WORLD, &status));
    say_status("sendrecv from somebody", &status, MPI_INT);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    TRY(MPI_Isend(values, 3, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Sendrecv_replace(values, 4, MPI_INT, MPI_PROC_NULL, 1, left, 3, MPI_COMM_WORLD, &status));
    say_status("replace from somebody", &status, MPI_INT);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    TRY(MPI_Irecv(in, 4, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Sendrecv_replace(values, 4, MPI_INT, right, 4, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status));
    say_ints("replaced by nobody's", values, 4);
    TRY(MPI_Wait(&requests[0], &status));
    say_status("replace to somebody", &status, MPI_INT);
    int one = me;
    TRY(MPI_Sendrecv_replace(&one, 1, MPI_INT, 0, 1, 0, 1, MPI_COMM_SELF, &status));
    say_status("with oneself", &status, MPI_INT);
}

/* Messages of `length` through a buffer that exactly holds them. Their receives are posted, because MPICH 4.0 sometimes
 * forgets to send what waits in the buffer. */
static void exact_buffer(int messages, int length) {
    int size = messages * (length + MPI_BSEND_OVERHEAD), given = 0;
    char *buffer = malloc((size_t)size), *rows = calloc((size_t)messages, (size_t)length + 100);
    MPI_Request* receives = malloc((size_t)messages * sizeof *receives);
    MPI_Status* statuses = malloc((size_t)messages * sizeof *statuses);
    void* back = NULL;
    fill();
    for (int i = 0; i < messages; i++)
        MPI_Irecv(rows + i * (length + 100), length + 100, MPI_CHAR, left, i, MPI_COMM_WORLD, &receives[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    TRY(MPI_Buffer_attach(buffer, size));
    for (int i = 0; i < messages; i++) {
        const int code = MPI_Bsend(out + i, length, MPI_CHAR, right, i, MPI_COMM_WORLD);
        if (code != MPI_SUCCESS) say_code("bsend", code);
    }
    TRY(MPI_Waitall(messages, receives, statuses));
    say_status("buffered", &statuses[messages - 1], MPI_CHAR);
    say_bytes("buffered", rows, (size_t)messages * ((size_t)length + 100));
    TRY(MPI_Buffer_detach(&back, &given));
    say("the same buffer %d, size %d", back == buffer, given == size);
    free(statuses);
    free(receives);
    free(rows);
    free(buffer);
}

/* Requests that are freed, queried, cancelled and started again. */
static void requests(int n) {
    MPI_Request request, sends[3];
    MPI_Status status = untouched_status();
    int flag = 0;
    fill();
    MPI_Isend(out, n, MPI_CHAR, right, 1, MPI_COMM_WORLD, &request);
    TRY(MPI_Request_free(&request));
    say("null %d", request == MPI_REQUEST_NULL);
    TRY(MPI_Recv(in, n, MPI_CHAR, left, 1, MPI_COMM_WORLD, &status));
    say_bytes("freed send", in, most);

    fill();
    MPI_Irecv(in, n, MPI_CHAR, left, 2, MPI_COMM_WORLD, &request);
    TRY(MPI_Request_free(&request));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(out, n, MPI_CHAR, right, 2, MPI_COMM_WORLD);
    for (int i = 0; i < 1000 && in[n - 1] == 0x77; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    say_bytes("freed receive", in, most);

    fill();
    MPI_Irecv(in, most, MPI_CHAR, left, 3, MPI_COMM_WORLD, &request);
    MPI_Isend(out, n, MPI_CHAR, right, 3, MPI_COMM_WORLD, &sends[0]);
    for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &status);
    say_status("asked", &status, MPI_CHAR);
    say_bytes("asked", in, most);
    memset(in, 1, most); /* the buffer is the application's again */
    TRY(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    status = untouched_status();
    TRY(MPI_Wait(&request, &status));
    say_status("waited", &status, MPI_CHAR);
    say_bytes("waited", in, most);
    MPI_Wait(&sends[0], MPI_STATUS_IGNORE);

    MPI_Irecv(in, n, MPI_CHAR, left, 4, MPI_COMM_WORLD, &request);
    TRY(MPI_Cancel(&request));
    TRY(MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &flag);
    say("cancelled %d", flag);

    MPI_Recv_init(in, n + 10, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
    MPI_Send_init(out, n, MPI_CHAR, right, 5, MPI_COMM_WORLD, &sends[0]);
    MPI_Ssend_init(out, n / 2, MPI_CHAR, right, 5, MPI_COMM_WORLD, &sends[1]);
    for (int i = 0; i < 4; i++) {
        fill();
        out[0] = (char)i;
        MPI_Start(&request);
        MPI_Start(&sends[i % 2]);
        TRY(MPI_Wait(&request, &status));
        TRY(MPI_Wait(&sends[i % 2], MPI_STATUS_IGNORE));
        say_status("started", &status, MPI_CHAR);
        say_bytes("started", in, most);
        MPI_Request_get_status(request, &flag, &status);
        say_status("inactive", &status, MPI_CHAR);
    }
    MPI_Start(&sends[0]);
    TRY(MPI_Request_free(&sends[0]));
    TRY(MPI_Request_free(&sends[1]));
    TRY(MPI_Request_free(&request));
    MPI_Recv(in, n, MPI_CHAR, left, 5, MPI_COMM_WORLD, &status);
    say_status("freed when started", &status, MPI_CHAR);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = rank_in(MPI_COMM_WORLD);
    int size = size_of(MPI_COMM_WORLD);
    right = (me + 1) % size, left = (me + size - 1) % size;
    out = malloc(most), in = malloc(most + 4096);
    larger_receives();
    datatypes();
    nobody();
    exact_buffer(50, 16384);
    exact_buffer(300, 1);
    requests(200);
    requests(9000);
    mistakes();
    truncation();
    say_out();
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
