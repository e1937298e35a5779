#include "collector/call_stacks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <sys/syscall.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr std::size_t stack_bytes = 8192;  // of a stack
constexpr std::size_t most_of_python = 48; // frames
constexpr std::size_t most_copies = 256;   // between two looks of tactus's own thread: 20 threads fill them

enum class State : std::uint8_t { free, being_written, full };

// All zeros at the start, so that it takes no room in the file.
struct Slot {
    std::atomic<State> state{State::free};
    SampledCall call;
    std::uint64_t pc = 0; // the registers
    std::uint64_t sp = 0;
    std::uint64_t fp = 0;
    std::uint64_t ra = 0;
    std::size_t size = 0;
    Python::Stack python;
    std::array<PythonFrame, most_of_python> frames;
    std::array<std::byte, stack_bytes> bytes;
};

// Pages that were never written take no memory.
constinit std::array<Slot, most_copies> slots{};
std::atomic<std::uint64_t> begun{0};
std::atomic<std::uint64_t> lost{0};
constinit std::optional<Python> python_here; // written before there are copies

} // namespace

void find_python_in_calls(const Python& python) { python_here = python; }

Copied copy_call_stack(const SampledCall& call, std::uint64_t& python_state) {
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
    slot.ra = own.ra;
    slot.size = copy_of_stack(slot.sp, slot.bytes).bytes.size();
    const bool copied = slot.size > 0;
    if (copied && python_here)
        slot.python = python_here->frames_of(static_cast<pid_t>(syscall(SYS_gettid)), slot.frames, python_state);
    slot.state.store(copied ? State::full : State::free, std::memory_order_release);
    return copied ? Copied::yes : Copied::refused;
}

void take_call_stacks(void (*use)(void* context, const CallStack& copy), void* context) {
    const std::uint64_t first = begun.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < most_copies; ++i) {
        Slot& slot = slots[(first + i) % most_copies];
        if (slot.state.load(std::memory_order_acquire) != State::full) continue;
        use(context, {.call = slot.call,
                      .registers = {.pc = slot.pc, .sp = slot.sp, .fp = slot.fp, .ra = slot.ra},
                      .stack = {.begin = slot.sp, .bytes = std::span{slot.bytes}.first(slot.size)},
                      .python = std::span{slot.frames}.first(slot.python.frames),
                      .all_of_python = slot.python.complete});
        slot.state.store(State::free, std::memory_order_release);
    }
}

std::size_t memory_of_call_stacks() {
    return sizeof(Slot) * std::min<std::size_t>(begun.load(std::memory_order_relaxed), most_copies);
}

std::uint64_t lost_call_stacks() { return lost.load(std::memory_order_relaxed); }

} // namespace tactus
