#include "collector/sync_wire.hpp"

#include "base/mpi/own_operation.hpp"
#include "base/ticks.hpp"

#include <cstring>
#include <sched.h>
#include <time.h>

namespace tactus {

namespace {
constexpr int tag_of_size = 50;
constexpr int tag_of_bytes = 51;
} // namespace

thread_local WireMessage MpiWire::message_;

bool MpiWire::send(std::uint32_t to, std::uint64_t word) {
    const WireMessage message{word};
    // The message is small enough for the MPI to buffer it, so MPI_Send does not wait.
    return pmpi.Send(message.data(), words_a_message, handle.UINT64_T, static_cast<int>(to), tag_, comm_) ==
           MPI_SUCCESS;
}

void MpiWire::expect(std::uint32_t from) {
    if (pmpi.Irecv(message_.data(), words_a_message, handle.UINT64_T, static_cast<int>(from), tag_, comm_, &request_) !=
        MPI_SUCCESS)
        request_ = handle.REQUEST_NULL;
}

bool MpiWire::await(std::uint32_t from, std::uint64_t& word) {
    if (!crowded_) return receive(from, word);
    if (request_ == handle.REQUEST_NULL) expect(from);
    const timespec pause{0, 20'000};
    while (true) {
        int done = 0;
        if (pmpi.Test(&request_, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done != 0) break;
        if (monotonic_ns() > deadline_ns_) return false;
        nanosleep(&pause, nullptr);
    }
    word = message_.front();
    return true;
}

// Does not sleep, because the caller reads the clock right after. It yields the core when the wait is long.
bool MpiWire::receive(std::uint32_t from, std::uint64_t& word) {
    if (request_ == handle.REQUEST_NULL) expect(from);
    if (request_ == handle.REQUEST_NULL) return false;
    constexpr unsigned eager = 400;
    constexpr unsigned between_looks = 256;
    for (unsigned poll = 1;; ++poll) {
        int done = 0;
        if (pmpi.Test(&request_, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (done != 0) break;
        if (poll > eager) sched_yield();
        if (poll % between_looks == 0 && monotonic_ns() > deadline_ns_) return false;
    }
    word = message_.front();
    return true;
}

bool send_bytes(MPI_Comm comm, std::uint32_t to, const Bytes& bytes, std::int64_t deadline_ns) {
    MpiWire size{comm, tag_of_size, deadline_ns};
    if (!size.send(to, bytes.size())) return false;
    LentMemory memory{bytes.size()};
    if (memory.data() == nullptr) return false;
    std::memcpy(memory.data(), bytes.data(), bytes.size());
    MPI_Request request = handle.REQUEST_NULL;
    const int rc = pmpi.Isend(memory.data(), static_cast<int>(bytes.size()), handle.BYTE, static_cast<int>(to),
                              tag_of_bytes, comm, &request);
    return memory.complete(rc, request, deadline_ns);
}

bool receive_bytes(MPI_Comm comm, std::uint32_t from, Bytes& bytes, std::int64_t deadline_ns) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    MpiWire wire{comm, tag_of_size, deadline_ns};
    std::uint64_t size = 0;
    if (!wire.receive(from, size) || size > most) return false;
    LentMemory memory{size};
    if (memory.data() == nullptr) return false;
    MPI_Request request = handle.REQUEST_NULL;
    const int rc = pmpi.Irecv(memory.data(), static_cast<int>(size), handle.BYTE, static_cast<int>(from), tag_of_bytes,
                              comm, &request);
    if (!memory.complete(rc, request, deadline_ns)) return false;
    bytes.resize(size);
    std::memcpy(bytes.data(), memory.data(), size);
    return true;
}

} // namespace tactus
