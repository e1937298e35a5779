#include "collector/stretches.hpp"

#include "base/thread_state_kept.hpp"
#include "collector/call_stacks.hpp"
#include "collector/counters.hpp"
#include "collector/thread.hpp"
#include "trace/sample.hpp"
#include "trace/stretch.hpp"

#include <algorithm>
#include <atomic>
#include <span>

namespace tactus {
namespace {

constexpr double between_readings_ns = 1e6;
// The time without a core is asked for only when so much time has passed since it was last asked for, and when the
// thread was not on a core for so much of that.
constexpr double between_waited_ns = 8e6;
constexpr double between_stacks_ns = 1e9 * sampled::between_calls_s;
constexpr Ticks most_of_time = 1000;       // each of the two takes at most this part of a thread's time
constexpr Ticks most_of_time_stacks = 500; // copies of stacks
constexpr double least_off_core = 1.0 / 16;

// Written once, the last of them last.
double ns_per_tick_here = 1;
Ticks most_counted = 0; // of a reading, which may have been interrupted
bool copies_stacks = false;
std::atomic<Ticks> ticks_between{0}; // 0: no thread reads

void average(Ticks& cost, Ticks next) { cost = (cost + std::min(next, most_counted)) / 2; }

std::uint64_t increase(std::int64_t from, std::int64_t to) {
    return to > from ? static_cast<std::uint64_t>(to - from) : 0;
}

Stretch stretch_between(const LastReading& last, const ThreadUse& use, Ticks at) {
    const auto switches = [](std::int64_t from, std::int64_t to) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(increase(from, to), INT32_MAX));
    };
    return {.length = at - last.at,
            .ran_ns = use.ran_ns - last.use.ran_ns,
            .system_ns = static_cast<std::int64_t>(increase(last.use.system_ns, use.system_ns)),
            .minor_faults = increase(last.use.minor_faults, use.minor_faults),
            .major_faults = increase(last.use.major_faults, use.major_faults),
            .voluntary_switches = switches(last.use.voluntary_switches, use.voluntary_switches),
            .involuntary_switches = switches(last.use.involuntary_switches, use.involuntary_switches)};
}

// Whether to ask now how much of the time since it was last asked the thread had no core.
bool asks_for_waited(const LastReading& last, Ticks at) {
    const double since_ns = ns_per_tick_here * static_cast<double>(at - last.waited_at);
    if (at - last.waited_at < most_of_time * last.waited_cost) return false;
    return last.waited_ns >= 0 && since_ns >= between_waited_ns && last.off_core_ns >= least_off_core * since_ns;
}

std::int64_t read_waited(LastReading& last, Ticks at) {
    const std::int64_t before = last.waited_ns;
    const Ticks begin = now();
    last.waited_ns = read_waited_ns();
    average(last.waited_cost, now() - begin);
    last.waited_at = at;
    last.off_core_ns = 0;
    return before < 0 || last.waited_ns < 0 ? -1 : static_cast<std::int64_t>(increase(before, last.waited_ns));
}

// Copies the stack above a call, if it is time for that, and returns how long that took.
Ticks sample_call(LastReading& last, SampledCall call) {
    if (!copies_stacks || call.at < last.next_stack) return 0;
    const auto between = static_cast<Ticks>(between_stacks_ns / ns_per_tick_here);
    if (last.sampled_at == 0) { // how much time this one would stand for is not known
        last.sampled_at = call.at;
        last.next_stack = call.at + between;
        return 0;
    }
    call.stands_for = call.at - last.sampled_at;
    const Ticks begin = now();
    const Copied copied = copy_call_stack(call, last.python_state);
    const Ticks taken = now() - begin;
    last.stack_cost = (last.stack_cost + taken) / 2;
    last.next_stack = call.at + std::max(between, most_of_time_stacks * last.stack_cost);
    if (copied == Copied::yes) last.sampled_at = call.at;
    if (copied == Copied::refused) last.next_stack = ~Ticks{0}; // the system will go on doing so
    return taken;
}

} // namespace

void begin_stretches(double tick_ns, bool stacks) {
    ns_per_tick_here = tick_ns;
    copies_stacks = stacks;
    most_counted = static_cast<Ticks>(50e3 / tick_ns);
    ticks_between.store(static_cast<Ticks>(between_readings_ns / tick_ns), std::memory_order_release);
}

void note_stretch(Lane& lane, const SampledCall* call) {
    const Ticks between = ticks_between.load(std::memory_order_acquire); // pairs with begin_stretches()
    constexpr Ticks some_time = 1 << 20;                                 // until the trace is open
    const Ticks begin = lane.stamp();
    if (between == 0 || thread.calibrating) {
        thread.next_reading = begin + some_time;
        return;
    }
    const ThreadStateKept kept;
    LastReading& last = thread.last_reading;
    const ThreadUse use = read_thread_use();
    const auto counted = last.at == 0 ? Stretch::not_counted : read_counters(last.counters);
    average(last.cost, now() - begin);
    if (use.ran_ns < 0) { // the system refuses, and will go on doing so
        thread.next_reading = ~Ticks{0};
        return;
    }
    Record record;
    record.enter = begin;
    record.what.kind = Kind::stretch;
    record.what.tag = use.cpu;
    if (last.at == 0) {
        read_waited(last, begin);
        open_counters(last.counters);
    } else {
        Stretch stretch = stretch_between(last, use, begin);
        stretch.counted = counted;
        last.off_core_ns +=
            std::max(0.0, ns_per_tick_here * static_cast<double>(stretch.length) - static_cast<double>(stretch.ran_ns));
        if (asks_for_waited(last, begin)) stretch.waited_ns = read_waited(last, begin);
        record.leave = lane.stamp();
        const auto words = stretch.put();
        lane.note(record, std::span{words}.first(Stretch::words + counters_read()));
    }
    Ticks taken = (record.leave != 0 ? record.leave : lane.stamp()) - begin; // sealing a full block is counted as that
    if (call != nullptr) taken += sample_call(last, *call);
    lane.add_reading(taken);
    last.at = begin;
    last.use = use;
    thread.next_reading = begin + taken + std::max(between, most_of_time * last.cost);
}

} // namespace tactus
