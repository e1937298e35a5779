// Whether the wrapper of a call is still on the stack (64-bit ARM). The include path chooses between this file and
// base/processor/x86_64/call_frame.hpp.
//
// A frame has its record at its lower end: the address of the caller's record, which x29 held, and the return address.
// The records form a chain, outward from the function that runs. The wrappers have one, as all functions have that are
// compiled without -fomit-frame-pointer.
#pragma once

#include "processor.hpp"

#include <cstdint>

namespace tactus::processor {

// A Call in the frame of its wrapper.
struct CallFrame {
    const void* call;
    std::uintptr_t return_address;
};

using FrameRecord = const std::uintptr_t*;

// The last record, outward from `record`, that lies below an object: that of the function whose frame holds the object,
// if it has not returned. nullptr where the chain ends before, since a function holds something else in x29.
[[gnu::no_sanitize("address")]] inline FrameRecord record_below(FrameRecord record, const void* object,
                                                                std::uintptr_t stack_end) {
    const auto end = reinterpret_cast<std::uintptr_t>(object);
    for (;;) {
        const std::uintptr_t next = record[0];
        if (next <= reinterpret_cast<std::uintptr_t>(record) || next >= stack_end || next % sizeof next != 0)
            return nullptr;
        if (next >= end) return record;
        record = reinterpret_cast<FrameRecord>(next);
    }
}

// Whether `open` has left the stack, given a call that is made now, in whose wrapper this runs. It has when no record
// beyond that of the new call leads back to where `open` was called. Where that is not known, it is taken to be there.
[[gnu::noinline, gnu::no_sanitize("address")]] inline bool has_left_stack(const CallFrame& open, const CallFrame& fresh,
                                                                          std::uintptr_t stack_end) {
    if (fresh.call >= open.call) return true;
    const auto* const here = static_cast<FrameRecord>(__builtin_frame_address(0));
    const FrameRecord of_fresh = record_below(here, fresh.call, stack_end);
    const FrameRecord of_open = of_fresh != nullptr ? record_below(of_fresh, open.call, stack_end) : nullptr;
    if (of_open == nullptr) return false;
    return of_open == of_fresh || without_signature(of_open[1]) != open.return_address;
}

} // namespace tactus::processor
