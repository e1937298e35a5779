#include "collector/requests.hpp"

#include <new>
#include <sched.h>

namespace tactus {

constinit Requests requests;

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

void Requests::insert(const PendingRequest& request) {
    std::size_t i = place(request.key);
    while (slots_[i].key != 0) i = (i + 1) & (size_ - 1);
    slots_[i] = request;
    ++used_;
}

bool Requests::grow() {
    const std::size_t old_size = size_;
    PendingRequest* const old = slots_;
    const std::size_t size = old_size == 0 ? 512 : old_size * 2;
    auto* const fresh = new (std::nothrow) PendingRequest[size];
    if (fresh == nullptr) return false;
    slots_ = fresh;
    size_ = size;
    used_ = 0;
    // From behind a free slot, so that a run that wraps around keeps the order of equal handles.
    std::size_t start = 0;
    while (start < old_size && old[start].key != 0) ++start;
    for (std::size_t n = 0; n < old_size; ++n) {
        const PendingRequest& request = old[(start + n) & (old_size - 1)];
        if (request.key != 0) insert(request);
    }
    delete[] old;
    return true;
}

bool Requests::add(const PendingRequest& request) {
    const Hold hold{*this};
    if (2 * (used_ + 1) > size_ && !grow()) return false;
    insert(request);
    return true;
}

PendingRequest Requests::take(MPI_Request request) {
    const std::uint64_t key = key_of(request);
    const Hold hold{*this};
    if (used_ == 0) return {};
    for (std::size_t i = place(key); slots_[i].key != 0; i = (i + 1) & (size_ - 1)) {
        if (slots_[i].key != key) continue;
        const PendingRequest found = slots_[i];
        close_gap(i);
        --used_;
        return found;
    }
    return {};
}

// Linear probing without tombstones: whatever could not be found across the hole moves into it, in order.
void Requests::close_gap(std::size_t hole) {
    for (std::size_t i = (hole + 1) & (size_ - 1); slots_[i].key != 0; i = (i + 1) & (size_ - 1)) {
        const std::size_t home = place(slots_[i].key);
        if (((i - home) & (size_ - 1)) < ((i - hole) & (size_ - 1))) continue;
        slots_[hole] = slots_[i];
        hole = i;
    }
    slots_[hole] = PendingRequest{};
}

} // namespace tactus
