#include "collector/requests.hpp"

#include "trace/record.hpp"

#include <algorithm>
#include <new>
#include <sched.h>

namespace tactus {

constinit RequestTables requests;
constinit Requests messages;

// A few instructions are protected, never a call of the MPI: a spin lock, and none at all for a single thread.
class Requests::Hold {
  public:
    explicit Hold(Requests& table) : table_{table} {
        if (!table_.locked_) return;
        for (int spins = 0; table_.flag_.test_and_set(std::memory_order_acquire); ++spins) // pairs with the clear below
            if (spins > 100) sched_yield();
    }
    ~Hold() {
        if (table_.locked_) table_.flag_.clear(std::memory_order_release);
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

  private:
    Requests& table_;
};

std::size_t Requests::find(std::uint64_t key) const {
    std::size_t i = home(key);
    while (slots_[i].key != 0 && slots_[i].key != key) i = (i + 1) & (size_ - 1);
    return i;
}

bool Requests::grow() {
    const std::size_t old_size = size_;
    const std::size_t size = old_size == 0 ? 128 : old_size * 2;
    auto* const slots = new (std::nothrow) Slot[size]{};
    auto* const nodes = new (std::nothrow) Node[size / 2];
    if (slots == nullptr || nodes == nullptr) {
        delete[] slots;
        delete[] nodes;
        return false;
    }
    std::copy(nodes_, nodes_ + old_size / 2, nodes); // queues keep their places
    for (std::size_t i = old_size / 2; i < size / 2; ++i) {
        nodes[i].next = free_;
        free_ = static_cast<std::uint32_t>(i);
    }
    Slot* const old = slots_;
    slots_ = slots;
    size_ = size;
    for (std::size_t i = 0; i < old_size; ++i)
        if (old[i].key != 0) slots_[find(old[i].key)] = old[i];
    delete[] old;
    delete[] nodes_;
    nodes_ = nodes;
    return true;
}

bool Requests::add(std::uint64_t key, const PendingRequest& request) {
    const Hold hold{*this};
    if (free_ == nothing && !grow()) return false;
    const std::uint32_t node = free_;
    free_ = nodes_[node].next;
    PendingRequest& kept = nodes_[node].request;
    static_assert(sizeof(PendingRequest) == 40, "every field is copied");
    // One by one, as they were written just now: a wider load would have to wait for the narrow stores.
    kept.number = request.number;
    kept.kind = request.kind;
    kept.active = request.preparation == nullptr; // what is prepared is not started yet
    kept.skipped = request.skipped;
    kept.comm = request.comm;
    kept.peer = request.peer;
    kept.duplicate = request.duplicate;
    kept.preparation = request.preparation;
    nodes_[node].next = nothing;
    Slot& slot = slots_[find(key)];
    // Only finished sends share a handle. Else the older one was completed in a call that never returned to us.
    if (!locked_ && slot.key == key)
        if (request.kind != RequestKind::plain || nodes_[slot.oldest].request.kind != RequestKind::plain) drop(slot);
    if (slot.key == key && slot.oldest != nothing)
        nodes_[slot.newest].next = node;
    else
        slot = {key, node, node};
    slot.newest = node;
    count(1);
    return true;
}

// Everything in a handle's queue; the caller fills it again.
void Requests::drop(Slot& slot) {
    while (slot.oldest != nothing) {
        const std::uint32_t node = slot.oldest;
        slot.oldest = nodes_[node].next;
        nodes_[node].next = free_;
        free_ = node;
        count(-1);
    }
}

Requests::Found Requests::find(const Slot& slot, std::uint64_t lane) const {
    constexpr int longest_search = 32; // among requests that share a handle
    Found found{slot.oldest, nothing};
    for (int looked = 0; found.node != nothing && looked <= longest_search; ++looked) {
        if (lane_of_request(nodes_[found.node].request.number) == lane) return found;
        found = {nodes_[found.node].next, found.node};
    }
    return {slot.oldest, nothing};
}

PendingRequest Requests::take(std::uint64_t key, std::uint64_t lane) {
    const Hold hold{*this};
    if (is_empty()) return {};
    const std::size_t place = find(key);
    Slot& slot = slots_[place];
    if (slot.key == 0) return {};
    const auto [node, before] = find(slot, lane);
    const PendingRequest found = nodes_[node].request;
    const std::uint32_t next = nodes_[node].next;
    if (before != nothing)
        nodes_[before].next = next;
    else
        slot.oldest = next;
    if (slot.newest == node) slot.newest = before;
    if (slot.oldest == nothing) erase(place);
    nodes_[node].next = free_;
    free_ = node;
    count(-1);
    return found;
}

PendingRequest Requests::look(std::uint64_t key, std::uint64_t lane) {
    const Hold hold{*this};
    if (is_empty()) return {};
    const Slot& slot = slots_[find(key)];
    return slot.key == 0 ? PendingRequest{} : nodes_[find(slot, lane).node].request;
}

// No other request has the handle of a persistent one that is there.
PendingRequest* Requests::persistent(std::uint64_t key) {
    if (is_empty()) return nullptr;
    const Slot& slot = slots_[find(key)];
    if (slot.key == 0) return nullptr;
    PendingRequest& request = nodes_[slot.newest].request;
    return request.preparation != nullptr ? &request : nullptr;
}

PendingRequest Requests::begin(std::uint64_t key, std::uint64_t number, bool skipped) {
    const Hold hold{*this};
    PendingRequest* const request = persistent(key);
    if (request == nullptr || request->active) return {};
    request->number = number;
    request->active = true;
    request->skipped = skipped;
    return *request;
}

PendingRequest Requests::finish(std::uint64_t key) {
    const Hold hold{*this};
    PendingRequest* const request = persistent(key);
    if (request == nullptr || !request->active) return {};
    request->active = false;
    return *request;
}

// Linear probing without tombstones: whatever could not be found across the hole moves into it.
void Requests::erase(std::size_t hole) {
    for (std::size_t i = (hole + 1) & (size_ - 1); slots_[i].key != 0; i = (i + 1) & (size_ - 1)) {
        const std::size_t wanted = home(slots_[i].key);
        if (((i - wanted) & (size_ - 1)) < ((i - hole) & (size_ - 1))) continue;
        slots_[hole] = slots_[i];
        hole = i;
    }
    slots_[hole].key = 0;
}

} // namespace tactus
