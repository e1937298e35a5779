/* Messages of all kinds, where some ranks make some of their calls in a way that goes around what is preloaded:
 *
 *   bypass WAY MASK [LIBRARY...]
 *
 * MASK has a bit for each rank that goes around. For each function, and once for all functions together, the ranks
 * exchange messages of all sizes in all modes; every rank says what it received: data, counts, source and tag. */
#define _GNU_SOURCE
#include "ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { tag = 5, most = 1 << 20, spare = 64 };

static int rank, ranks, to, from;
static FILE* said; /* what this rank says; rank 0 prints all of it at the end */

#define NUMBER(name) number_##name,
enum { FUNCTIONS(NUMBER) functions };
static int used[functions]; /* by the exchanges so far */
#define CALL(name) (used[number_##name] = 1, calls.name)

static int only_sends; /* go around unseen; then no probe is tried, because it sees a length only */

static unsigned char *out, *in;
static int size, room;
static MPI_Status status;

static void fill(int seed) {
    for (int i = 0; i < size; ++i) out[i] = (unsigned char)(i * 7 + seed + 3 * rank);
    memset(in, 0xa5, (size_t)room + spare);
}

static int sends_first(void) { return rank % 2 == 0; }

static void buffered(int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm)) {
    int bytes;
    CALL(Pack_size)(size, MPI_BYTE, MPI_COMM_WORLD, &bytes);
    bytes += MPI_BSEND_OVERHEAD;
    void* buffer = malloc((size_t)bytes);
    CALL(Buffer_attach)(buffer, bytes);
    send(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
    CALL(Recv)(in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
    void* back = NULL;
    int attached = 0;
    CALL(Buffer_detach)(&back, &attached);
    if (back != buffer || attached != bytes) fprintf(said, "rank %d: another buffer comes back\n", rank);
    free(buffer);
}

static int (*blocking_send)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
static int (*starting_send)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
static MPI_Request requests[2];
static MPI_Status statuses[2];

static void blocking(void) {
    if (sends_first()) blocking_send(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
    CALL(Recv)(in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
    if (!sends_first()) blocking_send(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}
static void standard(void) { blocking_send = CALL(Send), blocking(); }
static void synchronous(void) { blocking_send = CALL(Ssend), blocking(); }
static void in_buffer(void) { buffered(CALL(Bsend)); }

static void ready(void) { /* the receive is posted before the sender goes on */
    CALL(Irecv)(in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, requests);
    MPI_Barrier(MPI_COMM_WORLD);
    CALL(Rsend)(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
    CALL(Wait)(requests, &status);
}

static void begin(void) {
    CALL(Irecv)(in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, requests);
    if (starting_send == calls.Irsend) MPI_Barrier(MPI_COMM_WORLD);
    starting_send(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, requests + 1);
}
static void wait_for_all(void) {
    CALL(Waitall)(2, requests, statuses);
    status = statuses[0];
}
static void waitall(void) { starting_send = CALL(Isend), begin(), wait_for_all(); }
static void synchronous_waitall(void) { starting_send = CALL(Issend), begin(), wait_for_all(); }
static void ready_waitall(void) { starting_send = CALL(Irsend), begin(), wait_for_all(); }
static void wait_each(void) {
    starting_send = CALL(Isend), begin();
    CALL(Wait)(requests + 1, MPI_STATUS_IGNORE);
    CALL(Wait)(requests, &status);
}
static void test_each(void) {
    starting_send = CALL(Isend), begin();
    int done = 0;
    while (!done) CALL(Test)(requests, &done, &status);
    for (done = 0; !done;) CALL(Test)(requests + 1, &done, MPI_STATUS_IGNORE);
}
static void testall(void) {
    starting_send = CALL(Isend), begin();
    int done = 0;
    while (!done) CALL(Testall)(2, requests, &done, statuses);
    status = statuses[0];
}
static void any(int waits) {
    starting_send = CALL(Isend), begin();
    for (int left = 2; left > 0;) {
        int index, done = 1;
        MPI_Status one;
        if (waits)
            CALL(Waitany)(2, requests, &index, &one);
        else
            CALL(Testany)(2, requests, &index, &done, &one);
        if (!done || index == MPI_UNDEFINED) continue;
        if (index == 0) status = one;
        --left;
    }
}
static void waitany(void) { any(1); }
static void testany(void) { any(0); }
static void some(int waits) {
    starting_send = CALL(Isend), begin();
    for (int left = 2; left > 0;) {
        int done, indices[2];
        if (waits)
            CALL(Waitsome)(2, requests, &done, indices, statuses);
        else
            CALL(Testsome)(2, requests, &done, indices, statuses);
        for (int i = 0; i < done; ++i)
            if (indices[i] == 0) status = statuses[i];
        left -= done;
    }
}
static void waitsome(void) { some(1); }
static void testsome(void) { some(0); }

static void ask_status(void) {
    starting_send = CALL(Isend), begin();
    int done = 0;
    while (!done) CALL(Request_get_status)(requests[0], &done, &status);
    CALL(Waitall)(2, requests, MPI_STATUSES_IGNORE);
}
static void freed(void) {
    CALL(Irecv)(in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, requests);
    CALL(Isend)(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, requests + 1);
    CALL(Request_free)(requests + 1);
    CALL(Wait)(requests, &status);
    MPI_Barrier(MPI_COMM_WORLD); /* the buffer may be filled again */
}
static void cancelled(void) {
    CALL(Irecv)(in, room, MPI_BYTE, from, tag + 1, MPI_COMM_WORLD, requests);
    CALL(Cancel)(requests);
    CALL(Wait)(requests, &status);
    int is = 0;
    CALL(Test_cancelled)(&status, &is);
    if (!is) fprintf(said, "rank %d: nothing was cancelled\n", rank);
    standard();
}

static void persistent(int (*init)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*), int is_ready) {
    CALL(Recv_init)(in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, requests);
    init(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, requests + 1);
    for (int i = 0; i < 2; ++i) {
        fill(i);
        if (is_ready) {
            CALL(Start)(requests);
            MPI_Barrier(MPI_COMM_WORLD);
            CALL(Start)(requests + 1);
        } else {
            CALL(Startall)(2, requests);
        }
        wait_for_all();
    }
    for (int i = 0; i < 2; ++i) CALL(Request_free)(requests + i);
}
static void persistent_standard(void) { persistent(CALL(Send_init), 0); }
static void persistent_synchronous(void) { persistent(CALL(Ssend_init), 0); }
static void persistent_ready(void) { persistent(CALL(Rsend_init), 1); }

static void sendrecv(void) {
    CALL(Sendrecv)(out, size, MPI_BYTE, to, tag, in, room, MPI_BYTE, from, tag, MPI_COMM_WORLD, &status);
}
static void replace(void) {
    memcpy(in, out, (size_t)size);
    CALL(Sendrecv_replace)(in, size, MPI_BYTE, to, tag, from, tag, MPI_COMM_WORLD, &status);
}

static void probe_with(int waits) {
    starting_send = CALL(Isend);
    CALL(Isend)(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, requests);
    int there = waits, count = -1;
    if (waits)
        CALL(Probe)(from, tag, MPI_COMM_WORLD, &status);
    else
        while (!there) CALL(Iprobe)(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    CALL(Get_count)(&status, MPI_BYTE, &count);
    if (count != size) fprintf(said, "rank %d: a probe sees %d bytes of %d\n", rank, count, size);
    CALL(Recv)(in, room, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
    CALL(Wait)(requests, MPI_STATUS_IGNORE);
}
static void probe(void) { probe_with(1); }
static void iprobe(void) { probe_with(0); }
static void matched(int waits) {
    CALL(Isend)(out, size, MPI_BYTE, to, tag, MPI_COMM_WORLD, requests);
    MPI_Message message;
    int there = waits, count = -1;
    if (waits)
        CALL(Mprobe)(from, tag, MPI_COMM_WORLD, &message, &status);
    else
        while (!there) CALL(Improbe)(from, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &message, &status);
    CALL(Get_count)(&status, MPI_BYTE, &count);
    if (count != size) fprintf(said, "rank %d: a matched probe sees %d bytes of %d\n", rank, count, size);
    if (waits) {
        CALL(Mrecv)(in, room, MPI_BYTE, &message, &status);
    } else {
        CALL(Imrecv)(in, room, MPI_BYTE, &message, requests + 1);
        CALL(Wait)(requests + 1, &status);
    }
    CALL(Wait)(requests, MPI_STATUS_IGNORE);
}
static void mprobe(void) { matched(1); }
static void improbe(void) { matched(0); }

static void packed(void) {
    int bytes = 0, at = 0;
    CALL(Pack_size)(size, MPI_BYTE, MPI_COMM_WORLD, &bytes);
    char *sent = malloc((size_t)bytes + 1), *got = malloc((size_t)bytes + 1);
    CALL(Pack)(out, size, MPI_BYTE, sent, bytes, &at, MPI_COMM_WORLD);
    CALL(Irecv)(got, bytes, MPI_PACKED, from, tag, MPI_COMM_WORLD, requests);
    CALL(Send)(sent, at, MPI_PACKED, to, tag, MPI_COMM_WORLD);
    CALL(Wait)(requests, &status);
    at = 0;
    CALL(Unpack)(got, bytes, &at, in, size, MPI_BYTE, MPI_COMM_WORLD);
    free(sent);
    free(got);
}

static struct {
    const char* name;
    void (*exchange)(void);
    int uses[functions];
} modes[] = {{"standard", standard, {0}},
             {"synchronous", synchronous, {0}},
             {"buffered", in_buffer, {0}},
             {"ready", ready, {0}},
             {"waitall", waitall, {0}},
             {"synchronous waitall", synchronous_waitall, {0}},
             {"ready waitall", ready_waitall, {0}},
             {"wait", wait_each, {0}},
             {"test", test_each, {0}},
             {"testall", testall, {0}},
             {"waitany", waitany, {0}},
             {"testany", testany, {0}},
             {"waitsome", waitsome, {0}},
             {"testsome", testsome, {0}},
             {"get_status", ask_status, {0}},
             {"freed", freed, {0}},
             {"cancelled", cancelled, {0}},
             {"persistent", persistent_standard, {0}},
             {"persistent synchronous", persistent_synchronous, {0}},
             {"persistent ready", persistent_ready, {0}},
             {"sendrecv", sendrecv, {0}},
             {"replace", replace, {0}},
             {"probe", probe, {0}},
             {"iprobe", iprobe, {0}},
             {"mprobe", mprobe, {0}},
             {"improbe", improbe, {0}},
             {"packed", packed, {0}}};

static unsigned long long hash(const unsigned char* data, int count) {
    unsigned long long h = 14695981039346656037ull;
    for (int i = 0; i < count; ++i) h = (h ^ data[i]) * 1099511628211ull;
    return h;
}

/* Exchanges messages of one size in all modes that use the function with that number, or in all, into receives of two
 * sizes. */
static void exchange(const char* function, int number, int bytes) {
    size = bytes;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
        if (number < functions && !modes[i].uses[number]) continue;
        if (only_sends && strstr(modes[i].name, "probe")) continue;
        unsigned long long seen = 0;
        int count = 0, elements = 0;
        memset(used, 0, sizeof used);
        for (int wide = 0; wide < 2; ++wide) {
            room = wide ? size + 4096 : size;
            fill(wide);
            memset(&status, 0, sizeof status);
            modes[i].exchange();
            CALL(Get_count)(&status, MPI_BYTE, &count);
            CALL(Get_elements)(&status, MPI_BYTE, &elements);
            seen = seen * 31 + hash(in, room + spare);
        }
        memcpy(modes[i].uses, used, sizeof used);
        fprintf(said, "rank %d: %s, %d bytes, %s: %016llx count %d elements %d source %d tag %d\n", rank, function,
                size, modes[i].name, seen, count, elements, status.MPI_SOURCE, status.MPI_TAG);
    }
}

static void print_in_order(char* text, int length) {
    int* const lengths = calloc((size_t)ranks, 2 * sizeof *lengths);
    int* const places = lengths + ranks;
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int all = 0;
    for (int i = 0; i < ranks; all += lengths[i++]) places[i] = all;
    char* const texts = malloc((size_t)all + 1);
    MPI_Gatherv(text, length, MPI_CHAR, texts, lengths, places, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0) fwrite(texts, 1, (size_t)all, stdout);
    free(texts);
    free(lengths);
}

int main(int argc, char** argv) {
    static const int sizes[] = {0, 4, 8, 24, 100, 2060};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    out = malloc(most + spare), in = malloc(most + 4096 + spare);
    char* text;
    size_t length;
    said = open_memstream(&text, &length);
    const int goes_around = atoi(argv[2]) >> rank & 1;
    only_sends = !strcmp(argv[1], "sends_unseen");
    if (goes_around) find_way(argv[1], argv + 3);
#define EACH(name)                                                                                                     \
    if (goes_around) go_around(#name);                                                                                 \
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) exchange(#name, number_##name, sizes[i]);
    enum { number_all = functions };
    EACH(all)
    exchange("all", number_all, most);
    FUNCTIONS(EACH)
    fclose(said);
    print_in_order(text, (int)length);
    free(text);
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
