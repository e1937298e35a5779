/* How programs written for Intel's collector use VT.h: each function is the essence of what some of them do. It checks
 * what the calls return, plain with libVT and traced; expected.txt lists what the trace of two ranks contains. */
#include <VT.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static int traced;
static int early_class, early_function;

static int function(const char* name) {
    int handle = -1;
    CHECK(VT_funcdef(name, early_class, &handle) == VT_OK);
    return handle;
}

/* Names that are defined, and recording that is switched off, before MPI_Init. */
static void before_init(void) {
    int state = 5;
    traced = VT_tracestate(&state) != VT_OK;
    CHECK(VT_classdef("habits", &early_class) == VT_OK);
    CHECK(VT_funcdef("early", early_class, &early_function) == VT_OK);
    CHECK((early_function != 0) == traced);
    CHECK(VT_begin(early_function) == (traced ? VT_ERR_NOTINITIALIZED : VT_OK));
    CHECK(VT_timestamp() >= VT_timestart());
    CHECK(VT_traceoff() == VT_OK);
}

/* The argument of VT_end is 0, or anything. */
static void ends_by_zero(void) {
    int step = function("step"), inner = function("inner");
    for (int i = 0; i < 100; i++) {
        CHECK(VT_begin(step) == VT_OK && VT_begin(inner) == VT_OK);
        CHECK(VT_end(0) == VT_OK && VT_end(12345) == VT_OK);
    }
    CHECK(VT_begin(step) == VT_OK && VT_end(inner) == VT_OK); /* it is not open */
}

/* A handle of another kind stands where a source location belongs. */
static void wrong_locations(void) {
    int leaves = function("leaves"), scl = 0;
    CHECK(VT_scldef("habits.c", 7, &scl) == VT_OK);
    for (int i = 0; i < 10; i++) {
        CHECK(VT_enter(leaves, leaves) == VT_OK && VT_leave(leaves) == VT_OK);
        CHECK(VT_enter(leaves, early_class) == VT_OK && VT_leave(99) == VT_OK);
        CHECK(VT_beginl(leaves, scl) == VT_OK && VT_endl(leaves, scl) == VT_OK);
    }
}

/* Timers that overlap: first a, then b, and a ends first. The region around them stays open. */
static void overlapping_timers(void) {
    int around = function("around"), a = function("a"), b = function("b");
    for (int i = 0; i < 10; i++) {
        CHECK(VT_begin(around) == VT_OK && VT_begin(a) == VT_OK && VT_begin(b) == VT_OK);
        CHECK(VT_end(a) == VT_OK && VT_end(b) == VT_OK);
        CHECK(VT_end(around) == VT_OK);
        CHECK(VT_begin_unordered(a) == VT_OK && VT_begin_unordered(b) == VT_OK);
        CHECK(VT_end_unordered(a) == VT_OK && VT_end_unordered(b) == VT_OK);
    }
}

/* A handle that nobody defined is begun and ended inside another region. */
static void unknown_handles(void) {
    int outside = function("outside");
    CHECK(VT_begin(outside) == VT_OK);
    CHECK(VT_begin(4711) == (traced ? VT_ERR_BADARG : VT_OK) && VT_end(4711) == VT_OK);
    CHECK(VT_end(outside) == VT_OK);
    CHECK(VT_end(outside) == (traced ? VT_ERR_NOTOPEN : VT_OK));
}

/* The same static handles are defined by every thread that finds them undefined, while others use them. */
static void* define_and_use(void* unused) {
    static int handle = -1, counter = -1, scope = -1;
    for (int i = 0; i < 10000; i++) {
        if (handle == -1 || i % 100 == 0) CHECK(VT_funcdef("shared", early_class, &handle) == VT_OK);
        VT_begin(handle);
        VT_end(handle);
        if (i % 10 != 0) continue;
        const double value = 2.5;
        int number;
        if (counter == -1 || i % 100 == 0)
            CHECK(VT_countdef("many", early_class, VT_COUNT_FLOAT, VT_ME, NULL, "", &counter) == VT_OK);
        CHECK(VT_countval(1, &counter, &value) == VT_OK);
        if (scope == -1 || i % 100 == 0)
            CHECK(VT_scopedef("together", early_class, VT_NOSCL, VT_NOSCL, &scope) == VT_OK);
        CHECK(VT_scopebegin(scope, VT_NOSCL, &number) == VT_OK && VT_scopeend(scope, number, VT_NOSCL) == VT_OK);
    }
    return unused;
}

static void threads(void) {
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) CHECK(pthread_create(&thread[i], NULL, define_and_use, NULL) == 0);
    for (int i = 0; i < 2; i++) CHECK(pthread_join(thread[i], NULL) == 0);
}

/* Calls that tactus takes and does not record. */
static void unrecorded_calls(void) {
    int group, scl;
    const char* contact;
    CHECK(VT_log_sendmsg(1, 8, 7, VT_COMM_WORLD, VT_NOSCL) == VT_OK);
    CHECK(VT_log_recvmsg(1, 8, 7, VT_COMM_WORLD, VT_NOSCL) == VT_OK);
    CHECK(VT_log_msgevent(0, 1, 8, 7, VT_COMM_WORLD, 0.5, VT_NOSCL, 0.75, VT_NOSCL) == VT_OK);
    CHECK(VT_log_opevent(VT_OP_BCAST, VT_COMM_WORLD, 0, 8, 8) == VT_OK);
    CHECK(VT_countsetcallback(NULL, NULL, 0) == VT_OK);
    CHECK(VT_groupdef("all", 1, (int[]){0}, &group) == VT_OK && group == VT_GROUP_PROCESS);
    CHECK(VT_sclstack(NULL, NULL, 0, 1, &scl) == VT_OK && scl == VT_NOSCL);
    CHECK(VT_clientinit(0, "client", &contact) == VT_OK && VT_serverinit("server", 0, NULL, &contact) == VT_OK);
}

/* Bounds of two ints or floats, which are shorter than the values of a counter. */
static void short_bounds(void) {
    int counter;
    double value = 1.5;
    CHECK(VT_countdef("short", early_class, VT_COUNT_FLOAT, VT_ME, (float[2]){0, 1}, "", &counter) == VT_OK);
    CHECK(VT_countval(1, &counter, &value) == VT_OK);
}

/* MPI_Pcontrol switches recording off and on. */
static void levels(void) {
    int hidden = function("hidden"), shown = function("shown");
    MPI_Pcontrol(0);
    CHECK(VT_begin(hidden) == VT_OK && VT_end(hidden) == VT_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    CHECK(VT_begin(shown) == VT_OK && VT_end(shown) == VT_OK);
}

int main(int argc, char** argv) {
    int rank, given, thread_id, level;
    before_init();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(VT_getrank(&given) == VT_OK && given == rank);
    CHECK(VT_getthreadid(&thread_id) == VT_OK && thread_id == 0);
    CHECK(VT_begin(early_function) == VT_OK && VT_end(early_function) == VT_OK); /* off since before MPI_Init */
    CHECK(VT_traceon() == VT_OK);
    CHECK(VT_begin(early_function) == VT_OK && VT_end(0) == VT_OK);
    ends_by_zero();
    wrong_locations();
    overlapping_timers();
    unknown_handles();
    threads();
    unrecorded_calls();
    short_bounds();
    levels();
    MPI_Finalize();
    if (rank == 0) printf("done\n");
    return 0;
}
