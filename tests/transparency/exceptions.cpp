// A C++ exception that a callback throws through an MPI call back into the application, and a longjmp that does the
// same: from error handlers and from a reduction. Afterwards MPI is used again. With an argument, only the jumps are
// done, else only the exceptions.
#include "say.h"
#include <csetjmp>
#include <stdexcept>
#include <string>

namespace {

int me, size;
std::jmp_buf back;

struct HandlerCalled : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Objects on the way must be destroyed.
struct Witness {
    const char* name;
    ~Witness() { say("%s leaves its scope", name); }
};

void throwing_handler(MPI_Comm*, int* code, ...) {
    Witness witness{"the handler"};
    say_code("handler", *code);
    throw HandlerCalled("thrown by the handler");
}

void quiet_handler(MPI_Comm*, int*, ...) { throw HandlerCalled(""); }

void jumping_handler(MPI_Comm*, int* code, ...) {
    say_code("handler", *code);
    std::longjmp(back, 7);
}

void throwing_reduction(void*, void*, int* count, MPI_Datatype*) {
    throw HandlerCalled("thrown by the reduction of " + std::to_string(*count));
}

// MPI still works, alone and with all ranks.
void use_mpi() {
    int sent = me + 1, received = -1, sum = 0, flag = 7;
    MPI_Request request;
    MPI_Status status = untouched_status();
    TRY(MPI_Irecv(&received, 1, MPI_INT, (me + size - 1) % size, 4, MPI_COMM_WORLD, &request));
    TRY(MPI_Send(&sent, 1, MPI_INT, (me + 1) % size, 4, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, &status));
    say_status("afterwards", &status, MPI_INT);
    TRY(MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    TRY(MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, &status));
    say("afterwards: received %d sum %d flag %d", received, sum, flag);
}

template <class Call> void expect_exception(const char* what, Call call) {
    try {
        Witness witness{what};
        const int code = call();
        say_code("it returned", code);
    } catch (const HandlerCalled& thrown) {
        say("%s: caught: %s", what, thrown.what());
    }
}

void set_handler(MPI_Comm_errhandler_function* function) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(function, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
}

void truncated_message(MPI_Request* request) {
    static const int sent[4] = {1, 2, 3, 4};
    static int received[2];
    MPI_Request send;
    MPI_Isend(sent, 4, MPI_INT, me, 6, MPI_COMM_WORLD, &send);
    MPI_Irecv(received, 2, MPI_INT, me, 6, MPI_COMM_WORLD, request);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
}

void thrown() {
    int value = 0;
    set_handler(throwing_handler);
    expect_exception("send", [&] { return MPI_Send(&value, 1, MPI_INT, size, 1, MPI_COMM_WORLD); });
    expect_exception("bcast", [&] { return MPI_Bcast(&value, 1, MPI_INT, size, MPI_COMM_WORLD); });
    expect_exception("split", [&] {
        MPI_Comm made;
        return MPI_Comm_split(MPI_COMM_WORLD, -8, 0, &made);
    });
    expect_exception("call_errhandler", [] { return MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER); });
    set_handler(quiet_handler);
    for (int i = 0; i < 1000; i++) {
        try {
            MPI_Recv(&value, -1, MPI_INT, me, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } catch (const HandlerCalled&) {
            value++;
        }
    }
    say("caught %d more", value);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    use_mpi();
}

void thrown_by_truncation() {
    MPI_Request request;
    set_handler(throwing_handler);
    truncated_message(&request);
    expect_exception("wait", [&] { return MPI_Wait(&request, MPI_STATUS_IGNORE); });
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    use_mpi();
}

void thrown_by_reduction() {
    int in[3] = {1, 2, 3}, inout[3] = {4, 5, 6};
    MPI_Op op;
    MPI_Op_create(throwing_reduction, 1, &op);
    expect_exception("reduce_local", [&] { return MPI_Reduce_local(in, inout, 3, MPI_INT, op); });
    MPI_Op_free(&op);
    use_mpi();
}

// The frame of setjmp has no object with a destructor.
void jumped() {
    volatile int jumps = 0;
    int value = 0;
    set_handler(jumping_handler);
    if (setjmp(back) != 0) jumps = jumps + 1;
    if (jumps < 3) MPI_Send(&value, 1, MPI_INT, size + jumps, 1, MPI_COMM_WORLD);
    if (jumps < 6) MPI_Barrier(MPI_COMM_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    say("jumped %d times", jumps);
    use_mpi();
}

} // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    say_begin();
    me = said_rank;
    size = size_of(MPI_COMM_WORLD);
    if (argc > 1) {
        jumped();
    } else {
        thrown();
        thrown_by_truncation();
        thrown_by_reduction();
    }
    say_out();
    MPI_Finalize();
    return 0;
}
