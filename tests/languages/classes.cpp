// C++: communicators and requests that objects own, threads that communicate, and callbacks that catch their
// exceptions.
#include "check.h"
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

class Communicator {
  public:
    explicit Communicator(MPI_Comm parent) { MPI_Comm_dup(parent, &comm_); }
    Communicator(Communicator&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    Communicator& operator=(Communicator&&) = delete;
    ~Communicator() {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }
    MPI_Comm get() const { return comm_; }

  private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

// Completes what it started, even if an exception leaves the scope.
class PendingReceive {
  public:
    PendingReceive(std::vector<int>& into, int from, MPI_Comm comm) {
        MPI_Irecv(into.data(), static_cast<int>(into.size()), MPI_INT, from, 1, comm, &request_);
    }
    PendingReceive(const PendingReceive&) = delete;
    PendingReceive& operator=(const PendingReceive&) = delete;
    ~PendingReceive() { MPI_Wait(&request_, MPI_STATUS_IGNORE); }

  private:
    MPI_Request request_ = MPI_REQUEST_NULL;
};

void ring_with_exception(const Communicator& comm) {
    const int rank = rank_in(comm.get()), size = size_of(comm.get());
    std::vector<int> mine(5, rank), theirs(5, -1);
    try {
        PendingReceive pending(theirs, (rank + size - 1) % size, comm.get());
        MPI_Send(mine.data(), 5, MPI_INT, (rank + 1) % size, 1, comm.get());
        throw std::runtime_error("left early");
    } catch (const std::runtime_error& error) {
        CHECK(std::string(error.what()) == "left early");
    }
    CHECK(theirs == std::vector<int>(5, (rank + size - 1) % size));
}

int caught = 0;

// The exception is thrown and caught inside of MPI's callback; between the two there is a call of MPI.
void largest(void* in, void* in_out, int* length, MPI_Datatype* type) {
    try {
        int size;
        MPI_Type_size(*type, &size);
        if (size == static_cast<int>(sizeof(int))) throw std::invalid_argument("as expected");
    } catch (const std::invalid_argument&) {
        caught++;
    }
    for (int i = 0; i < *length; i++) {
        int& into = static_cast<int*>(in_out)[i];
        into = std::max(into, static_cast<int*>(in)[i]);
    }
}

int copy_attribute(MPI_Comm comm, int, void*, void* value, void* copied, int* flag) {
    try {
        *flag = 1;
        *static_cast<void**>(copied) = value;
        throw rank_in(comm);
    } catch (int) {
        caught++;
    }
    return MPI_SUCCESS;
}

void callbacks(MPI_Comm comm) {
    MPI_Op op;
    MPI_Op_create(largest, 1, &op);
    int mine = rank_in(comm), all = -1;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, op, comm);
    CHECK(all == size_of(comm) - 1);
    // MPI decides which ranks apply it.
    int total = 0;
    MPI_Allreduce(&caught, &total, 1, MPI_INT, MPI_SUM, comm);
    CHECK(size_of(comm) == 1 || total > 0);
    MPI_Op_free(&op);
    int key;
    MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(comm, key, &mine);
    const int before = caught;
    {
        Communicator copy(comm);
        void* value;
        int found;
        MPI_Comm_get_attr(copy.get(), key, static_cast<void*>(&value), &found);
        CHECK(found && value == &mine && caught == before + 1);
    }
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_free_keyval(&key);
}

// Each thread uses its own communicator, which it moves and frees.
void threads() {
    std::vector<Communicator> comms;
    for (int i = 0; i < 4; i++) comms.emplace_back(MPI_COMM_WORLD);
    std::vector<std::thread> all;
    for (Communicator& comm : comms)
        all.emplace_back([own = std::move(comm)] {
            for (int i = 0; i < 50; i++) ring_with_exception(own);
            std::int64_t sum = 1;
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, own.get());
            CHECK(sum == size_of(own.get()));
        });
    for (std::thread& thread : all) thread.join();
}

} // namespace

int main(int argc, char** argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    {
        Communicator comm(MPI_COMM_WORLD);
        ring_with_exception(comm);
        callbacks(comm.get());
    }
    threads();
    say_done("classes");
    MPI_Finalize();
}
