// Requests under way: from the handle that the MPI gave to what the tracer knows of it. Open MPI gives one and the same
// handle to several sends that are finished already, so a handle may be here more than once; they are taken first in,
// first out. Any thread.
#pragma once

#include "mpi_kind.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace tactus {

enum class RequestKind : std::uint32_t { none, send, receive, comm };

struct PendingRequest {
    std::uint64_t key = 0;
    std::uint64_t number = 0; // see request_number()
    RequestKind kind = RequestKind::none;
    std::uint32_t parent = 0;          // of a communicator being duplicated
    const MPI_Comm* newcomm = nullptr; // where it will appear
    std::uint64_t identity = 0;        // that it will have, see Comms
};

class Requests {
  public:
    void use_lock(bool several_threads) { locked_ = several_threads; }
    // False when memory is refused: the request's completion will be counted as unknown.
    bool add(const PendingRequest& request);
    // Removes and gives the oldest with this handle; kind none when there is none.
    PendingRequest take(MPI_Request request);

  private:
    class Hold;
    bool grow();
    [[nodiscard]] std::size_t place(std::uint64_t key) const {
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 32) & (size_ - 1);
    }
    void insert(const PendingRequest& request);
    void close_gap(std::size_t hole);

    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
    bool locked_ = false;
    PendingRequest* slots_ = nullptr; // never given back: the process may end in any thread
    std::size_t size_ = 0;
    std::size_t used_ = 0;
};

extern Requests requests;

} // namespace tactus
