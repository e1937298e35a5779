// Tables of the requests under way, from the MPI's handle to what the tracer knows of the request. Both MPIs give the
// same handle to several sends that are already complete, so each handle has a queue: first in, first out. Persistent
// requests stay from their making to MPI_Request_free. Messages of matched probes are kept in such a table, too. Any
// thread may use the tables.
#pragma once

#include "base/ticks.hpp"
#include "collector/process_state.hpp"
#include "trace/record.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tactus {

// The completion of a plain request says nothing new (a send, a receive from MPI_PROC_NULL).
enum class RequestKind : std::uint8_t { none, plain, receive, comm };

struct MessageBuffer; // see piggyback/mpi/message_buffer.hpp

// Where MPI_Comm_idup will put its communicator: a C handle, or a Fortran one.
struct NewComm {
    const void* place;
    bool fortran;
};

struct PendingComm {
    std::uint32_t parent; // its number
    NewComm newcomm;
    std::uint64_t identity;      // that the duplicate will have, see Comms
    PendingComm* next = nullptr; // in the list of duplicates that one call completed
};

// What the call of MPI_Send_init or a similar function said. Each start repeats it.
struct Preparation {
    std::uint64_t number; // of the request
    RequestKind kind;     // of each operation
    Signature what;
};

struct PendingRequest {
    std::uint64_t number = 0; // see request_number(); a persistent request has that of its last start
    RequestKind kind = RequestKind::none;
    bool active = true;                       // false: persistent, and not started or completed; add() sets it
    bool skipped = false;                     // its start was not recorded
    std::uint32_t comm = 0;                   // its number
    std::int32_t peer = peer::none;           // as posted
    MessageBuffer* message_buffer = nullptr;  // of a message with a header; owned as `duplicate` is
    PendingComm* duplicate = nullptr;         // kind comm; owned by whoever takes the request
    const Preparation* preparation = nullptr; // persistent; owned by the table until it is removed
    Ticks begun = 0;                          // add() sets it if there are several threads
};

class Requests {
  public:
    void use_lock(bool several_threads) { locked_ = several_threads; }
    // False when memory is refused: the request's completion will be counted as unknown. hot
    bool add(std::uint64_t key, const PendingRequest& request);
    // Removes and returns the request with this handle that a call which began at `since` completed; its kind is none
    // when there is none. After the MPI has released the handle, and before take(), another thread may have got the
    // same handle for a new request and may even have completed that. So the right request is the newest of those from
    // before the call. Complete sends may share a handle. Among such without a message_buffer it is the oldest that
    // this lane began, else the oldest. hot
    PendingRequest take(std::uint64_t key, std::uint64_t lane, Ticks since);
    // Returns a request that is not complete yet, without removing it; its kind is none when there is none.
    PendingRequest look(std::uint64_t key, std::uint64_t lane);
    // The time to pass to take(), read before the MPI is called; 0 with a single thread.
    [[nodiscard]] Ticks since() const { return locked_ ? now() : 0; }
    // begin() starts a persistent request, with the number of this start, and finish() completes it. Both return it;
    // its kind is none when it is not persistent, is already active (begin) or is not active (finish).
    PendingRequest begin(std::uint64_t key, std::uint64_t number, bool skipped);
    PendingRequest finish(std::uint64_t key);

    // Calls `see` with the handle of each request and the request, while it holds the lock.
    template <class See> void for_each(See see) {
        const Hold hold{*this};
        for (std::size_t i = 0; i < size_; ++i) {
            if (slots_[i].key == 0) continue;
            for (std::uint32_t node = slots_[i].oldest; node != nothing; node = nodes_[node].next)
                see(slots_[i].key, nodes_[node].request);
        }
    }

    [[nodiscard]] bool is_empty() const { return open_.load(std::memory_order_relaxed) == 0; } // a hint

  private:
    // Holds the lock. It protects only a few instructions and never a call of the MPI, so it is a spin lock. A single
    // thread takes no lock.
    class Hold {
      public:
        explicit Hold(Requests& table) : table_{table} {
            if (table_.locked_) table_.lock();
        }
        ~Hold() {
            if (table_.locked_) table_.flag_.clear(std::memory_order_release); // pairs with lock()
        }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;

      private:
        Requests& table_;
    };
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
    // The slot of a handle, or the free slot where it belongs.
    [[nodiscard]] std::size_t find(std::uint64_t key) const {
        std::size_t i = home(key);
        while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & (size_ - 1);
        return i;
    }
    [[nodiscard]] Found find(const Slot& slot, std::uint64_t lane, Ticks since) const {
        if (locked_) [[unlikely]]
            return find_among(slot, lane, since);
        const bool first = lane_of_request(nodes_[slot.oldest].request.number) == lane;
        return first ? Found{slot.oldest, nothing} : find_later(slot, lane);
    }
    [[nodiscard]] Found find_later(const Slot& slot, std::uint64_t lane) const;
    [[nodiscard]] Found find_among(const Slot& slot, std::uint64_t lane, Ticks since) const;
    void lock();
    void release(std::uint32_t node) {
        nodes_[node].next = free_;
        free_ = node;
        count(-1);
    }
    PendingRequest* persistent(std::uint64_t key);
    bool grow();
    void erase(std::size_t hole);
    void drop(Slot& slot);
    // One thread at a time changes the count, so it needs no atomic addition.
    void count(int change) {
        open_.store(open_.load(std::memory_order_relaxed) + static_cast<std::size_t>(change),
                    std::memory_order_relaxed);
    }

    // Never freed: the process may end in any thread.
    Slot* slots_ = nullptr;
    Node* nodes_ = nullptr; // as many as half the slots, which are never more than half full
    std::size_t size_ = 0;
    std::atomic<std::size_t> open_{0}; // requests
    std::uint32_t free_ = nothing;
    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
    bool locked_ = true; // until MPI_Init has said that there is one thread
};

// add() and take() are always inlined, so that the request stays in registers. In memory, a wide load would follow
// narrow stores and have to wait for them. That cost 5 of the 40 ns of a call in a window of messages.
[[gnu::always_inline]] inline bool Requests::add(std::uint64_t key, const PendingRequest& request) {
    const Hold hold{*this};
    if (free_ == nothing && !grow()) [[unlikely]]
        return false;
    const std::uint32_t node = free_;
    free_ = nodes_[node].next;
    PendingRequest& kept = nodes_[node].request;
    static_assert(sizeof(PendingRequest) == 56, "every field is copied");
    kept.number = request.number;
    kept.kind = request.kind;
    kept.active = request.preparation == nullptr; // a persistent request is not started yet
    kept.skipped = request.skipped;
    kept.comm = request.comm;
    kept.peer = request.peer;
    kept.message_buffer = request.message_buffer;
    kept.duplicate = request.duplicate;
    kept.preparation = request.preparation;
    if (locked_) kept.begun = now();
    nodes_[node].next = nothing;
    count(1);
    Slot& slot = slots_[find(key)];
    // Only complete sends share a handle. Otherwise a call that never returned to its wrapper completed the older one.
    if (slot.key == key && !locked_)
        if (request.kind != RequestKind::plain || nodes_[slot.oldest].request.kind != RequestKind::plain) drop(slot);
    if (slot.key == key && slot.oldest != nothing)
        nodes_[slot.newest].next = node;
    else
        slot = {key, node, node};
    slot.newest = node;
    return true;
}

[[gnu::always_inline]] inline PendingRequest Requests::take(std::uint64_t key, std::uint64_t lane, Ticks since) {
    const Hold hold{*this};
    if (is_empty()) return {};
    const std::size_t place = find(key);
    Slot& slot = slots_[place];
    if (slot.key == 0) return {};
    const auto [node, before] = find(slot, lane, since);
    if (node == nothing) [[unlikely]]
        return {};
    const PendingRequest found = nodes_[node].request;
    const std::uint32_t next = nodes_[node].next;
    if (before != nothing)
        nodes_[before].next = next;
    else
        slot.oldest = next;
    if (slot.newest == node) slot.newest = before;
    if (slot.oldest == nothing) erase(place);
    release(node);
    return found;
}

// One table for each lane, so that threads that complete their own requests do not compete for a lock. Any thread may
// use them. The functions are those of Requests.
class RequestTables {
  public:
    void use_lock(bool several_threads) {
        for (Requests& table : tables_) table.use_lock(several_threads);
    }
    // Called before the first request. When messages are copied, a completion must find exactly its own request, in
    // whichever thread it happens.
    void use_one_table() { tables_in_use_ = 1; }
    [[gnu::always_inline]] bool add(std::uint64_t key, const PendingRequest& request) {
        return of(lane_of_request(request.number)).add(key, request);
    }
    [[gnu::always_inline]] PendingRequest take(std::uint64_t key, std::uint64_t lane, Ticks since) {
        PendingRequest found = of(lane).take(key, lane, since);
        if (found.kind == RequestKind::none) [[unlikely]]
            found = take_elsewhere(key, lane, since);
        return found;
    }
    [[nodiscard]] Ticks since() const { return tables_[0].since(); }
    PendingRequest look(std::uint64_t key, std::uint64_t lane) {
        return first(lane, [&](Requests& table) { return table.look(key, lane); });
    }
    PendingRequest begin(std::uint64_t key, std::uint64_t number, bool skipped) {
        return first(lane_of_request(number), [&](Requests& table) { return table.begin(key, number, skipped); });
    }
    template <class See> void for_each(See see) {
        for (Requests& table : tables_) table.for_each(see);
    }
    PendingRequest finish(std::uint64_t key, std::uint64_t lane) {
        return first(lane, [&](Requests& table) { return table.finish(key); });
    }

  private:
    static constexpr std::size_t most_tables = 64; // more lanes share them
    Requests& of(std::uint64_t lane) { return tables_[lane % tables_in_use_]; }
    // Asks the lane's own table first, then the others.
    template <class Ask> PendingRequest first(std::uint64_t lane, Ask ask) {
        const PendingRequest found = ask(of(lane));
        return found.kind != RequestKind::none ? found : elsewhere(lane, ask);
    }
    template <class Ask> PendingRequest elsewhere(std::uint64_t lane, Ask ask) {
        PendingRequest found;
        for (std::size_t i = 0; i < tables_in_use_ && found.kind == RequestKind::none; ++i)
            if (&tables_[i] != &of(lane) && !tables_[i].is_empty()) found = ask(tables_[i]);
        return found;
    }

    PendingRequest take_elsewhere(std::uint64_t key, std::uint64_t lane, Ticks since);

    Requests tables_[most_tables];
    std::size_t tables_in_use_ = most_tables;
};

} // namespace tactus
