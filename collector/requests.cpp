#include "collector/requests.hpp"

#include "trace/record.hpp"

#include <algorithm>
#include <new>
#include <sched.h>

namespace tactus {

void Requests::lock() {
    for (int spins = 0; flag_.test_and_set(std::memory_order_acquire); ++spins) // pairs with ~Hold()
        if (spins > 100) sched_yield();
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
    std::copy(nodes_, nodes_ + old_size / 2, nodes); // nodes keep their indices, so queues stay valid
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

// Removes everything in a handle's queue. The caller fills the slot again.
void Requests::drop(Slot& slot) {
    while (slot.oldest != nothing) {
        const std::uint32_t node = slot.oldest;
        slot.oldest = nodes_[node].next;
        release(node);
    }
}

Requests::Found Requests::find_later(const Slot& slot, std::uint64_t lane) const {
    constexpr int longest_search = 32; // among requests that share a handle
    Found found{slot.oldest, nothing};
    for (int looked = 0; found.node != nothing && looked <= longest_search; ++looked) {
        if (lane_of_request(nodes_[found.node].request.number) == lane) return found;
        found = {nodes_[found.node].next, found.node};
    }
    return {slot.oldest, nothing};
}

// A queue is in the order in which its requests began.
Requests::Found Requests::find_among(const Slot& slot, std::uint64_t lane, Ticks since) const {
    Found newest;
    bool equal = true;
    for (std::uint32_t node = slot.oldest; node != nothing && equal; node = nodes_[node].next)
        equal = nodes_[node].request.kind == RequestKind::plain && nodes_[node].request.message_buffer == nullptr;
    if (equal) return find_later(slot, lane);
    std::uint32_t before = nothing;
    for (std::uint32_t node = slot.oldest; node != nothing; node = nodes_[node].next) {
        const PendingRequest& request = nodes_[node].request;
        if (request.begun > since) break;
        // Where a clock stands still for longer than it takes to begin a request, a request of another thread may have
        // begun after the call did.
        const bool may_be_later = request.begun == since && since != 0 && lane_of_request(request.number) != lane;
        if (may_be_later && newest.node != nothing) break;
        newest = {node, before};
        before = node;
    }
    return newest;
}

PendingRequest Requests::look(std::uint64_t key, std::uint64_t lane) {
    const Hold hold{*this};
    if (is_empty()) return {};
    const Slot& slot = slots_[find(key)];
    if (slot.key == 0) return {};
    const Found found = find(slot, lane, ~Ticks{0});
    return nodes_[found.node].request;
}

// While a persistent request exists, no other request has its handle.
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

// Linear probing without tombstones: an entry that could not be found across the hole moves into it.
void Requests::erase(std::size_t hole) {
    for (std::size_t i = (hole + 1) & (size_ - 1); slots_[i].key != 0; i = (i + 1) & (size_ - 1)) {
        const std::size_t wanted = home(slots_[i].key);
        if (((i - wanted) & (size_ - 1)) < ((i - hole) & (size_ - 1))) continue;
        slots_[hole] = slots_[i];
        hole = i;
    }
    slots_[hole].key = 0;
}

PendingRequest RequestTables::take_elsewhere(std::uint64_t key, std::uint64_t lane, Ticks since) {
    return elsewhere(lane, [&](Requests& table) { return table.take(key, lane, since); });
}

} // namespace tactus
