// Requests under way: from the handle that the MPI gave to what the tracer knows of it. Both MPIs give one and the same
// handle to several sends that are finished already, so a handle has a queue: first in, first out. Persistent requests
// stay from their making to MPI_Request_free. Messages of matched probes are kept in a table like it. Any thread.
#pragma once

#include "trace/record.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tactus {

// plain: its completion tells nothing (a send, a receive from MPI_PROC_NULL).
enum class RequestKind : std::uint8_t { none, plain, receive, comm };

// Where MPI_Comm_idup will put its communicator: a C handle, or a Fortran one.
struct NewComm {
    const void* place;
    bool fortran;
};

struct PendingComm {
    std::uint32_t parent; // its number
    NewComm newcomm;
    std::uint64_t identity; // that it will have, see Comms
};

// What MPI_Send_init and its like said; a start repeats it.
struct Preparation {
    std::uint64_t number; // as a request
    RequestKind kind;     // of each operation
    Signature what;
};

struct PendingRequest {
    std::uint64_t number = 0; // see request_number(); of a persistent one: of its last start
    RequestKind kind = RequestKind::none;
    bool active = true;                       // false: persistent, and not started or completed; add() sets it
    bool skipped = false;                     // its start was not recorded
    std::uint32_t comm = 0;                   // its number
    std::int32_t peer = peer::none;           // as posted
    const PendingComm* duplicate = nullptr;   // kind comm; owned by whoever takes the request
    const Preparation* preparation = nullptr; // persistent; owned by the table until it is removed
};

class Requests {
  public:
    void use_lock(bool several_threads) { locked_ = several_threads; }
    // False when memory is refused: the request's completion will be counted as unknown.
    bool add(std::uint64_t key, const PendingRequest& request);
    // Removes and gives the oldest with this handle that this lane began, else the oldest; kind none when there is
    // none. (Between the MPI's giving a handle back and our taking it, another thread may have been given it again.)
    PendingRequest take(std::uint64_t key, std::uint64_t lane);
    // The same, without removing it.
    PendingRequest look(std::uint64_t key, std::uint64_t lane);
    // A persistent request begins, with the number of this start, or completes; kind none when it is not one, or has
    // nothing to complete.
    PendingRequest begin(std::uint64_t key, std::uint64_t number, bool skipped);
    PendingRequest finish(std::uint64_t key);

    [[nodiscard]] bool is_empty() const { return open_.load(std::memory_order_relaxed) == 0; } // a hint

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
    struct Found { // a node, and the one before it in its queue
        std::uint32_t node = nothing;
        std::uint32_t before = nothing;
    };
    [[nodiscard]] std::size_t find(std::uint64_t key) const; // its slot, or the free one where it belongs
    [[nodiscard]] Found find(const Slot& slot, std::uint64_t lane) const;
    PendingRequest* persistent(std::uint64_t key);
    bool grow();
    void erase(std::size_t hole);
    void drop(Slot& slot);
    // One thread at a time, so without an atomic addition.
    void count(int change) {
        open_.store(open_.load(std::memory_order_relaxed) + static_cast<std::size_t>(change),
                    std::memory_order_relaxed);
    }

    // Never given back: the process may end in any thread.
    Slot* slots_ = nullptr;
    Node* nodes_ = nullptr; // as many as half the slots, which are never more than half full
    std::size_t size_ = 0;
    std::atomic<std::size_t> open_{0}; // requests
    std::uint32_t free_ = nothing;
    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
    bool locked_ = true; // until MPI_Init has said that there is one thread
};

// A table a lane, so that threads that complete what they began do not meet. Any thread; the rules are those above.
class RequestTables {
  public:
    void use_lock(bool several_threads) {
        for (Requests& table : tables_) table.use_lock(several_threads);
    }
    bool add(std::uint64_t key, const PendingRequest& request) {
        return of(lane_of_request(request.number)).add(key, request);
    }
    PendingRequest take(std::uint64_t key, std::uint64_t lane) {
        return first(lane, [&](Requests& table) { return table.take(key, lane); });
    }
    PendingRequest look(std::uint64_t key, std::uint64_t lane) {
        return first(lane, [&](Requests& table) { return table.look(key, lane); });
    }
    PendingRequest begin(std::uint64_t key, std::uint64_t number, bool skipped) {
        return first(lane_of_request(number), [&](Requests& table) { return table.begin(key, number, skipped); });
    }
    PendingRequest finish(std::uint64_t key, std::uint64_t lane) {
        return first(lane, [&](Requests& table) { return table.finish(key); });
    }

  private:
    static constexpr std::size_t most_tables = 64; // more lanes share them
    Requests& of(std::uint64_t lane) { return tables_[lane % most_tables]; }
    // What the lane's own table knows, else another one.
    template <class Ask> PendingRequest first(std::uint64_t lane, Ask ask) {
        PendingRequest found = ask(of(lane));
        for (std::size_t i = 0; i < most_tables && found.kind == RequestKind::none; ++i)
            if (&tables_[i] != &of(lane) && !tables_[i].is_empty()) found = ask(tables_[i]);
        return found;
    }

    Requests tables_[most_tables];
};

extern RequestTables requests;
extern Requests messages; // of matched probes, as receives that are posted

} // namespace tactus
