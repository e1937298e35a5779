#include "base/mpi/own_operation.hpp"

#include "base/ticks.hpp"

#include <cstring>
#include <new>
#include <sched.h>
#include <time.h>

namespace tactus {
namespace {

// The other ranks may need our core to get to the operation that we wait for.
void give_way(int round) {
    constexpr int eager_rounds = 1000;
    const timespec pause{0, 100'000};
    if (round < eager_rounds)
        sched_yield();
    else
        nanosleep(&pause, nullptr);
}

} // namespace

bool complete_by(MPI_Request& request, std::int64_t deadline_ns) {
    for (int round = 0;; ++round) {
        int done = 0;
        if (pmpi.Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done != 0) return true;
        if (monotonic_ns() > deadline_ns) return false;
        give_way(round);
    }
}

LentMemory::LentMemory(std::size_t bytes) : data_{static_cast<std::byte*>(operator new(bytes, std::nothrow))} {}

LentMemory::~LentMemory() {
    if (!lent_) operator delete(data_);
}

bool LentMemory::complete(int rc, MPI_Request& request, std::int64_t deadline_ns) {
    lent_ = rc != MPI_SUCCESS || !complete_by(request, deadline_ns);
    return !lent_;
}

bool Together::wait_for_all() const {
    MPI_Request request = handle.REQUEST_NULL;
    return pmpi.Ibarrier(comm_, &request) == MPI_SUCCESS && complete_by(request, deadline_ns_);
}

bool Together::duplicate(MPI_Comm& made) const {
    LentMemory memory{sizeof made};
    auto* const place = reinterpret_cast<MPI_Comm*>(memory.data());
    MPI_Request request = handle.REQUEST_NULL;
    if (place == nullptr || !memory.complete(pmpi.Comm_idup(comm_, place, &request), request, deadline_ns_))
        return false;
    if (pmpi.Comm_set_errhandler(*place, handle.ERRORS_RETURN) != MPI_SUCCESS) return false;
    made = *place;
    return true;
}

bool Together::broadcast_bytes(void* value, std::size_t bytes) const {
    LentMemory memory{bytes};
    if (memory.data() == nullptr) return false;
    std::memcpy(memory.data(), value, bytes);
    MPI_Request request = handle.REQUEST_NULL;
    const int rc = pmpi.Ibcast(memory.data(), static_cast<int>(bytes), handle.BYTE, 0, comm_, &request);
    if (!memory.complete(rc, request, deadline_ns_)) return false;
    std::memcpy(value, memory.data(), bytes);
    return true;
}

bool Together::gather_bytes(const void* own, std::size_t bytes, void* all, std::size_t ranks) const {
    LentMemory memory{(1 + ranks) * bytes};
    if (memory.data() == nullptr) return false;
    std::byte* const received = memory.data() + bytes;
    std::memcpy(memory.data(), own, bytes);
    const int size = static_cast<int>(bytes);
    MPI_Request request = handle.REQUEST_NULL;
    const int rc = pmpi.Iallgather(memory.data(), size, handle.BYTE, received, size, handle.BYTE, comm_, &request);
    if (!memory.complete(rc, request, deadline_ns_)) return false;
    std::memcpy(all, received, ranks * bytes);
    return true;
}

bool Together::reduce_values(void* values, std::size_t count, std::size_t size, MPI_Datatype type, MPI_Op op,
                             bool to_first) const {
    LentMemory memory{2 * count * size};
    if (memory.data() == nullptr) return false;
    std::byte* const result = memory.data() + count * size;
    std::memcpy(memory.data(), values, count * size);
    std::memcpy(result, values, count * size);
    const int n = static_cast<int>(count);
    MPI_Request request = handle.REQUEST_NULL;
    const int rc = to_first ? pmpi.Ireduce(memory.data(), result, n, type, op, 0, comm_, &request)
                            : pmpi.Iallreduce(memory.data(), result, n, type, op, comm_, &request);
    if (!memory.complete(rc, request, deadline_ns_)) return false;
    std::memcpy(values, result, count * size);
    return true;
}

} // namespace tactus
