// Whether the wrapper of a call is still on the stack, wherever in its frame the compiler put the call's object.
#include "call_frame.hpp"
#include "tests/unit/made/catch.hpp"

#include <cstdint>

using namespace tactus::processor;

namespace {

std::uintptr_t return_address_of(void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// The wrapper of a call that is made now.
[[gnu::noinline]] bool says_left(const CallFrame& open, std::uintptr_t stack_end) {
    const char call = 0;
    return has_left_stack(open, {&call, return_address_of(__builtin_return_address(0))}, stack_end);
}

// The wrapper of a call whose object begins at this byte of a word.
[[gnu::noinline]] CallFrame frame_at(std::size_t byte, std::uintptr_t stack_end, bool& left) {
    alignas(void*) volatile unsigned char words[16] = {};
    const CallFrame open{const_cast<const unsigned char*>(words) + byte,
                         return_address_of(__builtin_return_address(0))};
    left = says_left(open, stack_end);
    words[byte] = 1; // after the call, so that the words stay in the frame until then
    return open;
}

} // namespace

TEST_CASE("a call is on the stack until its wrapper returns, at whatever byte its object begins") {
    const char outermost = 0;
    const auto stack_end = reinterpret_cast<std::uintptr_t>(&outermost);
    for (std::size_t byte = 0; byte < sizeof(void*); ++byte) {
        bool left = true;
        const CallFrame gone = frame_at(byte, stack_end, left);
        INFO("byte " << byte);
        CHECK_FALSE(left);
        CHECK(says_left(gone, stack_end));
    }
}
