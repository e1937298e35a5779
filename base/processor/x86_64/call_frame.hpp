// Whether the wrapper of a call is still on the stack (x86-64). The include path chooses between this file and
// base/processor/aarch64/call_frame.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tactus::processor {

// A Call in the frame of its wrapper.
struct CallFrame {
    const void* call;
    std::uintptr_t return_address;
};

// Where on the stack, above a wrapper's Call, the wrapper's return address lies; 0 when it is no longer there.
[[gnu::no_sanitize("address")]] inline std::uintptr_t return_slot(const CallFrame& frame, std::uintptr_t stack_end) {
    constexpr std::uintptr_t largest_frame = 4096;
    constexpr std::uintptr_t word = sizeof(std::uintptr_t);
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(frame.call) + word - 1) / word * word;
    const std::uintptr_t end = std::min(begin + largest_frame, stack_end);
    for (std::uintptr_t at = begin; at + word <= end; at += word)
        if (*reinterpret_cast<const std::uintptr_t*>(at) == frame.return_address) return at;
    return 0;
}

// Whether `open` has left the stack, given a call that is made now. It has when another frame has overwritten its
// return address, or when the new call comes from a frame that `open` would have to return through.
inline bool has_left_stack(const CallFrame& open, const CallFrame& fresh, std::uintptr_t stack_end) {
    const std::uintptr_t slot = return_slot(open, stack_end);
    return slot == 0 || return_slot(fresh, stack_end) >= slot;
}

} // namespace tactus::processor
