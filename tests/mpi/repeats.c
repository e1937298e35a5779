/* Calls of local functions that equal the call before them: the tracer makes one record of a row of them. The rows end
 * where a call fails, where a callback makes calls of its own, and where a callback ends the call by a jump. */
#include "check.h"

#include <setjmp.h>

enum { many = 1000, few = 8, odd_one = 4 };

static jmp_buf out;

static void returns(MPI_Comm* comm, int* code, ...) { (void)comm, (void)code; }
static void asks(MPI_Comm* comm, int* code, ...) {
    int class;
    (void)comm;
    MPI_Error_class(*code, &class);
}
static void jumps(MPI_Comm* comm, int* code, ...) {
    (void)comm, (void)code;
    longjmp(out, 1);
}

/* Has an error with a null communicator handled by this function. */
static void handle_by(MPI_Comm_errhandler_function* function) {
    MPI_Errhandler handler;
    CHECK(MPI_Comm_create_errhandler(function, &handler) == MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler); /* MPI 4 */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
}

static void make_a_row(void) {
    volatile int i; /* setjmp() returns twice */
    for (i = 0; i < few; i++) {
        int size = 0;
        if (setjmp(out) == 0) MPI_Comm_size(i == odd_one ? MPI_COMM_NULL : MPI_COMM_SELF, &size);
        CHECK(size == (i != odd_one));
    }
}

/* Two probes that find nothing are one record, too. */
static void probe_twice(void) {
    int found;
    for (volatile int i = 0; i < 2; i++) { /* which no compiler makes two calls of */
        MPI_Iprobe(0, 1, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
        CHECK(!found);
    }
}

static int copy(MPI_Datatype type, int key, void* extra, void* value, void* copied, int* flag) {
    (void)type, (void)key, (void)value, (void)copied;
    if (++*(int*)extra > odd_one) probe_twice(); /* in a call that began as one more of the row */
    *flag = 0;
    return MPI_SUCCESS;
}

static void copy_a_row_of_types(void) {
    int key, copies = 0;
    MPI_Datatype types[few], type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    for (int i = 0; i < few; i++) MPI_Type_dup(type, &types[i]);
    for (int i = 0; i < few; i++) MPI_Type_free(&types[i]);
    CHECK(copies == 0);
    MPI_Type_create_keyval(copy, MPI_TYPE_NULL_DELETE_FN, &key, &copies);
    MPI_Type_set_attr(type, key, NULL);
    for (int i = 0; i < few; i++) MPI_Type_dup(type, &types[i]);
    CHECK(copies == few);
    for (int i = 0; i < few; i++) MPI_Type_free(&types[i]);
    MPI_Type_free_keyval(&key);
    MPI_Type_free(&type);
}

int main(int argc, char** argv) {
    int sum = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < many; i++) sum += rank_in(MPI_COMM_SELF) + size_of(MPI_COMM_SELF); /* in turn: no rows */
    MPI_Wtick();
    for (int i = 0; i < many; i++) sum += size_of(MPI_COMM_SELF);
    for (int i = 0; i < few; i++) CHECK(MPI_Wtime() >= 0); /* returns no error code */
    CHECK(sum == 2 * many);
    MPI_Comm_errhandler_function* const handlers[] = {returns, asks, jumps};
    for (int i = 0; i < 3; i++) {
        handle_by(handlers[i]);
        make_a_row();
    }
    copy_a_row_of_types();
    say_done("repeats");
    MPI_Finalize();
    return 0;
}
