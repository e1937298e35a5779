#include "collector/call_stacks.hpp"

#include <array>
#include <atomic>
#include <cstddef>

namespace tactus {
namespace {

constexpr std::size_t stack_bytes = 8192; // of a stack
constexpr std::size_t most_copies = 256;  // between two looks of tactus's own thread: 20 threads fill them

enum class State : std::uint8_t { free, being_written, full };

// All zeros at the start, so that it takes no room in the file.
struct Slot {
    std::atomic<State> state{State::free};
    SampledCall call;
    std::uint64_t pc = 0; // the registers
    std::uint64_t sp = 0;
    std::uint64_t fp = 0;
    std::size_t size = 0;
    std::array<std::byte, stack_bytes> bytes;
};

// Pages that were never written take no memory.
constinit std::array<Slot, most_copies> slots{};
std::atomic<std::uint64_t> begun{0};
std::atomic<std::uint64_t> lost{0};

} // namespace

Copied copy_call_stack(const SampledCall& call) {
    Slot& slot = slots[begun.fetch_add(1, std::memory_order_relaxed) % most_copies];
    State free = State::free;
    if (!slot.state.compare_exchange_strong(free, State::being_written, std::memory_order_acquire)) {
        lost.fetch_add(1, std::memory_order_relaxed);
        return Copied::no_room;
    }
    slot.call = call;
    const Registers own = own_registers();
    slot.pc = own.pc;
    slot.sp = own.sp;
    slot.fp = own.fp;
    slot.size = copy_of_stack(slot.sp, slot.bytes).bytes.size();
    const bool copied = slot.size > 0;
    slot.state.store(copied ? State::full : State::free, std::memory_order_release);
    return copied ? Copied::yes : Copied::refused;
}

void take_call_stacks(void (*use)(void* context, const CallStack& copy), void* context) {
    const std::uint64_t first = begun.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < most_copies; ++i) {
        Slot& slot = slots[(first + i) % most_copies];
        if (slot.state.load(std::memory_order_acquire) != State::full) continue;
        use(context, {.call = slot.call,
                      .registers = {.pc = slot.pc, .sp = slot.sp, .fp = slot.fp},
                      .stack = {.begin = slot.sp, .bytes = std::span{slot.bytes}.first(slot.size)}});
        slot.state.store(State::free, std::memory_order_release);
    }
}

std::uint64_t lost_call_stacks() { return lost.load(std::memory_order_relaxed); }

} // namespace tactus
