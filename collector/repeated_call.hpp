// A call of a local function that equals the call before it: the same function from the same place, with nothing
// recorded in between. It only changes the record of that call. Programs make such calls by the million, so the
// wrappers of local functions try this before they make a Call. The rules of call.hpp hold.
#pragma once

#include "collector/process_state.hpp"
#include "collector/thread.hpp"

#include <atomic>

namespace tactus {

class RepeatedCall {
  public:
    RepeatedCall() = default;
    RepeatedCall(const RepeatedCall&) = delete;
    RepeatedCall& operator=(const RepeatedCall&) = delete;

    // Begins the call, and gives the lane that it is recorded in. nullptr: it equals no other, and nothing was done.
    [[gnu::always_inline]] Lane* begin(Function function, const void* call_site) { // hot
        Lane* const lane = thread.lane;
        if (thread.depth != 0 || lane == nullptr) return nullptr;
        thread.depth = 1;
        std::atomic_signal_fence(std::memory_order_seq_cst); // see Call::enter()
        if (lane->repeats(function, call_site) && !selective.load(std::memory_order_relaxed) &&
            !freed_receives.load(std::memory_order_relaxed)) [[likely]] {
            const Ticks enter = lane->stamp();
            if (enter < thread.next_reading) [[likely]] {
                ++lane->repeated_calls;
                Record* const slot = thread.record = &lane->slot();
                std::atomic_ref{slot->enter}.store(enter, std::memory_order_release); // see Call::begin()
                std::atomic_signal_fence(std::memory_order_seq_cst);
                thread.open = this;
                return lane;
            }
        }
        thread.depth = 0;
        return nullptr;
    }

    // Adds the call to the record when the MPI's function has returned `rc`. Returns `rc`.
    [[gnu::always_inline]] int left(Lane* lane, int rc) { // hot
        if (thread.open != this || rc != MPI_SUCCESS || !lane->repeats()) [[unlikely]]
            return left_otherwise(rc);
        thread.open = nullptr;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        lane->add_equal_call(lane->stamp());
        std::atomic_signal_fence(std::memory_order_seq_cst);
        thread.depth = 0;
        return rc;
    }
    // The same for a function that returns no error code.
    template <class T> [[gnu::always_inline]] T left_with(Lane* lane, T value) {
        left(lane, MPI_SUCCESS);
        return value;
    }

  private:
    // It failed, or calls were nested in it, so it is a record of its own.
    int left_otherwise(int rc);
};

} // namespace tactus
