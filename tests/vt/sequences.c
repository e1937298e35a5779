/* The calls of VT.h as public programs for Intel's collector make them, each in its smallest form: `sequences NAME`.
 * Prints what the calls return where it is not VT_OK. See brought.py. */
#include <VT.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define TELL(call)                                                                                                     \
    do {                                                                                                               \
        const int result = (call);                                                                                     \
        if (result != VT_OK) printf("%s: %d\n", #call, result);                                                        \
    } while (0)

enum { rounds = 3 };
static int solver, step, halo, scl;

static void define(void) {
    TELL(VT_classdef("solver", &solver));
    TELL(VT_funcdef("step", solver, &step));
    TELL(VT_funcdef("halo", solver, &halo));
    TELL(VT_scldef("solver.c", 12, &scl));
}

static void named_regions(void) {
    for (int i = 0; i < rounds; i++) {
        TELL(VT_begin(step));
        TELL(VT_begin(halo));
        MPI_Barrier(MPI_COMM_SELF);
        TELL(VT_end(halo));
        TELL(VT_end(step));
    }
}

static void noclass_function(void) {
    int handle;
    TELL(VT_funcdef("factor", VT_NOCLASS, &handle));
    TELL(VT_begin(handle));
    TELL(VT_end(handle));
}

static void own_numbers(void) {
    TELL(VT_symdef(100, "pivot", "numeric"));
    TELL(VT_begin(100));
    TELL(VT_end(100));
}

static void enter_leave_located(void) {
    TELL(VT_enter(step, scl));
    TELL(VT_leave(scl));
}

static void enter_leave_nowhere(void) {
    TELL(VT_enter(step, VT_NOSCL));
    TELL(VT_leave(VT_NOSCL));
}

static void leave_by_state(void) {
    TELL(VT_enter(step, VT_NOSCL));
    TELL(VT_leave(step));
}

static void enter_with_class(void) {
    TELL(VT_enter(step, solver));
    TELL(VT_leave(solver));
}

static void end_by_zero(void) {
    TELL(VT_begin(step));
    TELL(VT_begin(halo));
    TELL(VT_end(0));
    TELL(VT_end(0));
}

static void end_outer(void) {
    TELL(VT_begin(step));
    TELL(VT_begin(halo));
    TELL(VT_end(step));
}

static void overlapping_timers(void) {
    TELL(VT_begin(step));
    TELL(VT_begin(halo));
    TELL(VT_end(step));
    TELL(VT_end(halo));
}

static void unordered_timers(void) {
    TELL(VT_begin_unordered(step));
    TELL(VT_begin_unordered(halo));
    TELL(VT_end_unordered(step));
    TELL(VT_end_unordered(halo));
}

static void located_once(void) {
    TELL(VT_thisloc(scl));
    TELL(VT_begin(step));
    TELL(VT_endl(step, scl));
}

static void scopes(void) {
    int scope, number;
    TELL(VT_scopedef("iteration", solver, scl, VT_NOSCL, &scope));
    TELL(VT_scopebegin(scope, VT_NOSCL, &number));
    TELL(VT_scopeend(scope, number, VT_NOSCL));
}

static void counters(void) {
    int residual, cells;
    double error = 0.5;
    int bounds[2] = {0, 100};
    TELL(VT_countdef("residual", solver, VT_COUNT_FLOAT, VT_ME, NULL, "", &residual));
    TELL(VT_countdef("cells", solver, VT_COUNT_INTEGER | VT_COUNT_VALID_SAMPLE, VT_GROUP_PROCESS, bounds, "", &cells));
    TELL(VT_countval(1, &residual, &error));
}

static void own_messages(void) {
    TELL(VT_log_sendmsg(0, 8, 5, VT_COMM_WORLD, VT_NOSCL));
    TELL(VT_log_recvmsg(0, 8, 5, VT_COMM_WORLD, VT_NOSCL));
}

static void comments(void) { TELL(VT_log_comment("refined")); }

static void off_and_on(void) {
    named_regions();
    TELL(VT_traceoff());
    named_regions();
    TELL(VT_traceon());
    named_regions();
}

static void controlled(void) {
    MPI_Pcontrol(0);
    named_regions();
    MPI_Pcontrol(1);
    named_regions();
}

static void never_defined(void) {
    TELL(VT_begin(12345));
    TELL(VT_end(12345));
}

static void never_ended(void) { TELL(VT_begin(step)); }

static void* of_a_thread(void* unused) {
    TELL(VT_registernamed("worker", 1));
    TELL(VT_begin(step));
    TELL(VT_end(step));
    return unused;
}

static void threads(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, of_a_thread, NULL) == 0) pthread_join(thread, NULL);
}

static void timed(void) {
    TELL(VT_timesync());
    if (VT_timestamp() < VT_timestart()) printf("the time went back\n");
    TELL(VT_flush());
}

static void versions(void) {
#if VT_VERSION >= 2090 && VT_VERSION <= 3101
    named_regions();
#endif
}

static void nothing(void) {}

static const struct {
    const char* name;
    void (*run)(void);
    enum { in_mpi, defined_before_init, off_before_init, started_by_vt } start;
} sequences[] = {
    {"named_regions", named_regions, in_mpi},
    {"noclass_function", noclass_function, in_mpi},
    {"own_numbers", own_numbers, in_mpi},
    {"enter_leave_located", enter_leave_located, in_mpi},
    {"enter_leave_nowhere", enter_leave_nowhere, in_mpi},
    {"leave_by_state", leave_by_state, in_mpi},
    {"enter_with_class", enter_with_class, in_mpi},
    {"end_by_zero", end_by_zero, in_mpi},
    {"end_outer", end_outer, in_mpi},
    {"overlapping_timers", overlapping_timers, in_mpi},
    {"unordered_timers", unordered_timers, in_mpi},
    {"located_once", located_once, in_mpi},
    {"scopes", scopes, in_mpi},
    {"counters", counters, in_mpi},
    {"own_messages", own_messages, in_mpi},
    {"comments", comments, in_mpi},
    {"off_and_on", off_and_on, in_mpi},
    {"controlled", controlled, in_mpi},
    {"never_defined", never_defined, in_mpi},
    {"never_ended", never_ended, in_mpi},
    {"threads", threads, in_mpi},
    {"timed", timed, in_mpi},
    {"versions", versions, in_mpi},
    {"defined_before_init", named_regions, defined_before_init},
    {"off_before_init", named_regions, off_before_init},
    {"initialized_twice", named_regions, started_by_vt},
    {"nothing", nothing, in_mpi},
};

int main(int argc, char** argv) {
    for (size_t i = 0; argc == 2 && i < sizeof sequences / sizeof *sequences; i++) {
        if (strcmp(sequences[i].name, argv[1]) != 0) continue;
        const int start = sequences[i].start;
        if (start == defined_before_init) define();
        if (start == off_before_init) TELL(VT_traceoff());
        if (start == started_by_vt) TELL(VT_initialize(&argc, &argv));
        int level;
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
        if (start != defined_before_init) define();
        sequences[i].run();
        if (start == started_by_vt) TELL(VT_finalize());
        MPI_Finalize();
        return 0;
    }
    return 2;
}
