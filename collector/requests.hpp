// Requests under way: from the handle that the MPI gave to what the tracer knows of it. Both MPIs give one and the same
// handle to several sends that are finished already, so a handle has a queue: first in, first out. Any thread.
#pragma once

#include "mpi_kind.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mpi.h>

namespace tactus {

// plain: its completion tells nothing (a send, a receive from MPI_PROC_NULL).
enum class RequestKind : std::uint32_t { none, plain, receive, comm };

struct PendingRequest {
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
    bool add(MPI_Request handle, const PendingRequest& request);
    // Removes and gives the oldest with this handle that this lane began, else the oldest; kind none when there is
    // none. (Between the MPI's giving a handle back and our taking it, another thread may have been given it again.)
    PendingRequest take(MPI_Request handle, std::uint64_t lane);

  private:
    class Hold;
    static constexpr std::uint32_t nothing = ~std::uint32_t{0};
    struct Slot { // of an open-addressing table of handles; free when key is 0
        std::uint64_t key;
        std::uint32_t oldest;
        std::uint32_t newest;
    };
    struct Node { // of a handle's queue, or of the free list
        PendingRequest request;
        std::uint32_t next;
    };

    [[nodiscard]] std::size_t home(std::uint64_t key) const {
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 32) & (size_ - 1);
    }
    [[nodiscard]] std::size_t find(std::uint64_t key) const; // its slot, or the free one where it belongs
    bool grow();
    void erase(std::size_t hole);

    // Never given back: the process may end in any thread.
    Slot* slots_ = nullptr;
    Node* nodes_ = nullptr; // as many as half the slots, which are never more than half full
    std::size_t size_ = 0;
    std::size_t open_ = 0; // requests
    std::uint32_t free_ = nothing;
    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
    bool locked_ = false;
};

extern Requests requests;

} // namespace tactus
