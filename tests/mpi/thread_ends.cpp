// Threads that call MPI while they end: in destructors of thread-specific data in each of pthread's rounds, in
// destructors of C++ thread_local objects, and in cleanup handlers. One rank or more. argv[1] is the case.
#include "check.h"
#include <climits>
#include <cstdint>
#include <cstring>
#include <pthread.h>
#include <string>

namespace {

constexpr int threads = 60;

// One call of every kind of record: alone, with words behind it, and a message.
void call_mpi() {
    int sent = 1, received = 0;
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
    MPI_Send(&sent, 1, MPI_INT, 0, 3, MPI_COMM_SELF);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    CHECK(received == 1);
}

// A key of thread-specific data whose destructor calls MPI in each round of destructors, from `first` on.
struct Key {
    pthread_key_t key;
    void (*destructor)(void*);
    void make() { pthread_key_create(&key, destructor); }
    void set(std::intptr_t round) { pthread_setspecific(key, reinterpret_cast<void*>(round)); }
};

constexpr std::intptr_t silent = 100; // added to the round: the first rounds pass without a call

void at_end(Key& key, std::intptr_t round) {
    if (round < silent || round - silent == PTHREAD_DESTRUCTOR_ITERATIONS) call_mpi();
    if (round % silent < PTHREAD_DESTRUCTOR_ITERATIONS) key.set(round + 1);
}

// The tracer's own key lies between these two, because it is made at the first MPI call.
Key early{{}, [](void* round) { at_end(early, reinterpret_cast<std::intptr_t>(round)); }};
Key late{{}, [](void* round) { at_end(late, reinterpret_cast<std::intptr_t>(round)); }};

struct CallsAtEnd {
    bool armed = false;
    ~CallsAtEnd() {
        if (armed) call_mpi();
    }
};
thread_local CallsAtEnd object;

template <class Body> void run_thread(Body body) {
    pthread_t handle;
    const auto start = [](void* given) -> void* {
        (*static_cast<Body*>(given))();
        return nullptr;
    };
    CHECK(pthread_create(&handle, nullptr, start, &body) == 0);
    CHECK(pthread_join(handle, nullptr) == 0);
}

// The lanes of the tracer that this process has mapped; 0 without the tracer.
int mapped_lanes() {
    FILE* const maps = std::fopen("/proc/self/maps", "r");
    CHECK(maps != nullptr);
    int lanes = 0;
    char line[5000];
    while (std::fgets(line, sizeof line, maps) != nullptr) lanes += std::strstr(line, ".lane") != nullptr;
    std::fclose(maps);
    return lanes;
}

// Every round of every thread's destructors, for threads that called MPI before and for threads that did not.
void thread_specific_data() {
    for (int i = 0; i < threads; ++i)
        run_thread([i] {
            if (i % 2 == 0) call_mpi();
            if (i % 3 != 0) early.set(1);
            if (i % 3 != 1) late.set(1);
        });
    CHECK(mapped_lanes() < 10);
}

// Calls in the last round only: before the tracer's destructor in threads that never called MPI, and after it in
// threads that did.
void last_round() {
    for (int i = 0; i < threads; ++i)
        run_thread([i] {
            if (i % 2 == 0) call_mpi();
            (i % 2 == 0 ? late : early).set(silent + 1);
        });
    CHECK(mapped_lanes() < 10);
}

void thread_local_objects() {
    for (int i = 0; i < threads; ++i)
        run_thread([i] {
            if (i % 2 == 0) call_mpi();
            object.armed = true;
            if (i % 3 == 0) late.set(1);
        });
    CHECK(mapped_lanes() < 10);
}

void call_at_cleanup(void*) { call_mpi(); }

void end_thread(MPI_Comm*, int*, ...) { pthread_exit(nullptr); }

// Threads that end in a callback inside an MPI call. (Both MPIs let an error handler not return.)
void inside_a_call() {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(end_thread, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    for (int i = 0; i < threads; ++i)
        run_thread([i] {
            object.armed = i % 2 == 0;
            if (i % 3 != 0) early.set(1);
            if (i % 3 != 1) late.set(1);
            pthread_cleanup_push(call_at_cleanup, nullptr);
            MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
            pthread_cleanup_pop(0);
        });
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    CHECK(mapped_lanes() < 10);
}

struct Finalizes {
    bool armed = false;
    ~Finalizes() {
        if (!armed) return;
        call_mpi();
        MPI_Finalize();
    }
};
thread_local Finalizes of_main_thread;

} // namespace

int main(int argc, char** argv) {
    early.make();
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    late.make();
    const std::string name = argv[1];
    if (name == "data") thread_specific_data();
    if (name == "last") last_round();
    if (name == "local") thread_local_objects();
    if (name == "inside") inside_a_call();
    say_done(argv[1]);
    of_main_thread.armed = name == "main";
    if (!of_main_thread.armed) MPI_Finalize();
    return 0;
}
