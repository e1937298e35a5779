/* Everything of VT.h that C programs call. The program checks itself, plain with libVT, where nothing has an effect,
 * and traced. expected.txt lists what the trace of two ranks contains. Modes: none; "early" (VT_initialize before
 * MPI_Init); "alone" (VT_initialize instead of MPI_Init, where it starts MPI); "killed" (the ranks die of SIGKILL). */
#include <VT.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static int traced; /* if not, every call returns VT_OK */

static int when_traced(int code) { return traced ? code : VT_OK; }

static void before_and_after(void) {
    int handle = 5, state = 5;
    traced = VT_tracestate(&state) != VT_OK;
    CHECK(VT_tracestate(&state) == when_traced(VT_ERR_NOTINITIALIZED) && state == 2);
    CHECK(VT_funcdef("too early", VT_NOCLASS, &handle) == VT_OK && (handle != 0) == traced);
    CHECK(VT_begin(handle) == when_traced(VT_ERR_NOTINITIALIZED));
    CHECK(VT_end(handle) == when_traced(VT_ERR_NOTINITIALIZED));
    CHECK(VT_log_comment("too early") == when_traced(VT_ERR_NOTINITIALIZED));
    CHECK(VT_version() == VT_VERSION);
    CHECK(VT_timestart() <= VT_timestamp());
}

static int function(const char* class_name, const char* name) {
    int class_handle = VT_NOCLASS, handle = 0, again = 1;
    if (class_name != NULL) CHECK(VT_classdef(class_name, &class_handle) == VT_OK);
    CHECK(VT_funcdef(name, class_handle, &handle) == VT_OK);
    CHECK(VT_funcdef(name, class_handle, &again) == VT_OK && again == handle);
    CHECK((handle != 0) == traced);
    return handle;
}

static void nested_regions(void) {
    int step = function("solver", "step"), inner = function(":solver::deep:", "sum"), here, there, one = 1, sum;
    CHECK(VT_scldef("regions.c", 10, &here) == VT_OK && VT_scldef("regions.c", 20, &there) == VT_OK);
    for (int i = 0; i < 10; i++) {
        CHECK(VT_begin(step) == VT_OK);
        CHECK(VT_enter(inner, here) == VT_OK);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(VT_leave(there) == VT_OK);
        usleep(100);
        CHECK(VT_end(step) == VT_OK);
    }
    CHECK(VT_end(step) == when_traced(VT_ERR_NOTOPEN));
    CHECK(VT_leave(VT_NOSCL) == when_traced(VT_ERR_NOTOPEN));
    CHECK(VT_begin(12345) == when_traced(VT_ERR_BADARG) && VT_end(12345) == VT_OK);
}

/* Handles that the program chooses, ends that come too early, and more nesting than the first memory can hold. */
static void odd_regions(void) {
    CHECK(VT_symdef(127, "exchange", "old") == VT_OK && VT_symdef(127, "exchange", "old") == VT_OK);
    CHECK(VT_symdef(127, "other", "old") == when_traced(VT_ERR_BADINDEX));
    CHECK(VT_symdef(-1, "other", "old") == when_traced(VT_ERR_BADARG));
    int outer = function(NULL, "outer"), skipped = function(NULL, "path:skipped"), deep = function("a:b", "c:deep");
    CHECK(VT_begin(127) == VT_OK && VT_end(127) == VT_OK);
    CHECK(VT_begin(outer) == VT_OK && VT_begin(skipped) == VT_OK);
    CHECK(VT_end(outer) == VT_OK);
    for (int i = 0; i < 200; i++) CHECK(VT_begin(deep) == VT_OK);
    for (int i = 0; i < 200; i++) CHECK(VT_end(deep) == VT_OK);
    for (int i = 0; i < 70000; i++) CHECK(VT_begin(deep) == VT_OK);
    for (int i = 0; i < 70000; i++) CHECK(VT_end(deep) == VT_OK);
    CHECK(VT_end(deep) == when_traced(VT_ERR_NOTOPEN));
}

static void scopes(void) {
    int scl, a, b, first, second;
    CHECK(VT_scldef("regions.c", 30, &scl) == VT_OK);
    CHECK(VT_scopedef("a", VT_NOCLASS, scl, VT_NOSCL, &a) == VT_OK);
    CHECK(VT_scopedef("b", VT_NOCLASS, VT_NOSCL, VT_NOSCL, &b) == VT_OK);
    CHECK(VT_scopebegin(a, scl, &first) == VT_OK && VT_scopebegin(b, VT_NOSCL, NULL) == VT_OK);
    CHECK(VT_scopebegin(a, VT_NOSCL, &second) == VT_OK && (first != second) == traced);
    CHECK(VT_scopeend(a, first, VT_NOSCL) == VT_OK && VT_scopeend(b, 0, scl) == VT_OK);
    CHECK(VT_scopeend(a, first, VT_NOSCL) == when_traced(VT_ERR_NOTOPEN));
    CHECK(VT_scopeend(a, 0, VT_NOSCL) == VT_OK);
}

static void counters(void) {
    int handles[3];
    long long whole_bounds[2] = {-5, 5};
    double real_bounds[2] = {0, 1};
    CHECK(VT_countdef("whole", VT_NOCLASS, VT_COUNT_INTEGER64 | VT_COUNT_RATE, VT_ME, whole_bounds, "#", &handles[0]) ==
          VT_OK);
    CHECK(VT_countdef("real", VT_NOCLASS, VT_COUNT_FLOAT | VT_COUNT_VALID_AFTER, VT_GROUP_PROCESS, real_bounds, "m/s",
                      &handles[1]) == VT_OK);
    CHECK(VT_countdef("halves", VT_NOCLASS, VT_COUNT_INTEGER, VT_ME, NULL, NULL, &handles[2]) == VT_OK);
    CHECK(VT_countdef("bad", VT_NOCLASS, 0x1000, VT_ME, NULL, NULL, &(int){0}) == when_traced(VT_ERR_BADARG));
    for (int i = 0; i < 10; i++) {
        union {
            long long whole;
            double real;
            unsigned halves[2];
        } values[3];
        values[0].whole = i - 5;
        values[1].real = i / 4.0;
        values[2].halves[0] = 1; /* high */
        values[2].halves[1] = (unsigned)i;
        CHECK(VT_countval(3, handles, values) == VT_OK);
    }
    CHECK(VT_countval(1, &(int){77}, &(long long){0}) == when_traced(VT_ERR_BADARG));
}

static void off_and_on(void) {
    int hidden = function(NULL, "hidden"), kept = function(NULL, "kept"), state;
    CHECK(VT_begin(kept) == VT_OK && VT_traceoff() == VT_OK);
    CHECK(VT_tracestate(&state) == VT_OK && state == (traced ? 1 : 2));
    CHECK(VT_begin(hidden) == VT_OK && VT_end(hidden) == VT_OK && VT_log_comment("hidden") == VT_OK);
    CHECK(VT_end(kept) == VT_OK && VT_traceon() == VT_OK);
    CHECK(VT_tracestate(&state) == VT_OK && state == (traced ? 0 : 2));
}

static int in_callback; /* the region */

static int when_deleted(MPI_Comm comm, int key, void* value, void* extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    CHECK(VT_begin(in_callback) == VT_OK && VT_log_comment("in a callback") == VT_OK);
    CHECK(VT_end(in_callback) == VT_OK);
    return MPI_SUCCESS;
}

/* Inside of an MPI call nothing is recorded, but nothing breaks, either. */
static void callbacks(void) {
    int key;
    in_callback = function(NULL, "in callback");
    CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, when_deleted, &key, NULL) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL) == MPI_SUCCESS);
    CHECK(MPI_Comm_delete_attr(MPI_COMM_SELF, key) == MPI_SUCCESS);
    CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
}

static void* worker(void* unused) {
    int index, region = function("thread", "work");
    CHECK(VT_registerthread(-1) == when_traced(VT_ERR_BADARG));
    CHECK(VT_registernamed("worker", 7) == VT_OK && VT_registerthread(7) == VT_OK);
    CHECK(VT_registerthread(8) == when_traced(VT_ERR_BADARG));
    CHECK(VT_getthrank(&index) == VT_OK && index == (traced ? 7 : 0));
    for (int i = 0; i < 5; i++) CHECK(VT_begin(region) == VT_OK && VT_end(region) == VT_OK);
    CHECK(VT_begin(region) == VT_OK); /* never ended */
    return unused;
}

static void threads(void) {
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        CHECK(pthread_create(&thread, NULL, worker, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
    }
}

static void start(int argc, char** argv, const char* mode) {
    int running = 0, provided = 0;
    if (strcmp(mode, "early") == 0 || strcmp(mode, "alone") == 0) {
        CHECK(VT_initialize(&argc, &argv) == VT_OK && VT_initialize(&argc, &argv) == VT_OK);
        MPI_Initialized(&running);
        CHECK(running == traced);
    }
    if (strcmp(mode, "alone") != 0 || !running)
        CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS);
    CHECK(VT_initialize(&argc, &argv) == VT_OK);
}

static void end(const char* mode, int rank) {
    int finished = 0;
    if (strcmp(mode, "killed") == 0) {
        CHECK(VT_flush() == VT_OK);
        MPI_Barrier(MPI_COMM_WORLD);
        usleep(300000);
        if (traced) raise(SIGKILL);
    }
    if (strcmp(mode, "alone") == 0) CHECK(VT_finalize() == VT_OK);
    MPI_Finalized(&finished);
    if (!finished) CHECK(MPI_Finalize() == MPI_SUCCESS);
    before_and_after();
    CHECK(VT_finalize() == VT_OK);
    if (rank == 0) printf("done\n");
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "";
    int rank, traced_rank, left_open;
    before_and_after();
    start(argc, argv, mode);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(VT_getrank(&traced_rank) == VT_OK && traced_rank == rank);
    nested_regions();
    odd_regions();
    scopes();
    counters();
    off_and_on();
    callbacks();
    threads();
    CHECK(VT_log_comment("half way, ä") == VT_OK && VT_flush() == VT_OK && VT_timesync() == VT_OK);
    left_open = function(NULL, "left open");
    CHECK(VT_begin(left_open) == VT_OK);
    end(mode, rank);
    return 0;
}
