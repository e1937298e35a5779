// Kernel channels say when the GPU worked on an operation, by the GPU's stamps.
#include "collector/nccl/assembly.hpp"

#include <algorithm>

namespace tactus::nccl {
namespace {

// Stamps of a GPU are nanoseconds since 1970; some give zero instead.
bool is_stamp(std::uint64_t ns) { return ns != 0 && ns < 1ULL << 62; }

} // namespace

void Assembly::start_channel(LiveEvent& live) {
    Operation* const operation = operation_of(live);
    if (operation == nullptr) return rows_.count(Loss::nccl_invalid, 1);
    ++operation->started;
    if (!is_believable(live.start.context, live.start.gpu_stamp, live.start.tick)) live.start.gpu_stamp = 0;
    operation->channels.set(live.start.channels);
    operation->changed = live.start.tick;
    operation->first_told = std::min(operation->first_told, live.start.tick);
    if (live.start.gpu_stamp == 0) return;
    const auto stamp = static_cast<std::int64_t>(live.start.gpu_stamp);
    GpuClock& clock = clock_of(live.start.context);
    clock.told(stamp, scale_.ns(live.start.tick));
    // A kernel of a graph is launched with the graph, after the operation began here. Where NCCL does not report
    // launches, a kernel starts after what its thread did before.
    const bool replayed = (operation->flags & NcclTag::captured) != 0;
    const Ticks earliest = replayed                   ? operation->start.tick
                           : operation->launched != 0 ? operation->launched
                           : operation->called != 0   ? operation->called
                                                      : operation->after;
    if (earliest != 0) clock.launched(stamp, scale_.ns(earliest));
}

// Whether a stamp can be right, by the GPU's clock as it is known so far. It may not be far later than its callback, a
// day earlier, or before the machine started.
bool Assembly::is_believable(std::uint32_t context, std::uint64_t stamp, Ticks told) {
    if (!is_stamp(stamp)) return false;
    const auto mapped = clock_of(context).map(static_cast<std::int64_t>(stamp));
    if (!mapped) return true;
    constexpr std::int64_t set_ns = 3'600'000'000'000; // a clock that is set moves by less
    const std::int64_t before_ns = scale_.ns(told) - mapped->cpu_ns;
    return mapped->cpu_ns > 0 && before_ns > -set_ns && before_ns < 24 * set_ns;
}

void Assembly::stop_channel(LiveEvent& live, Ticks tick, std::int64_t stamp, bool has_stamp) {
    live.told = true;
    Operation* const operation = operation_of(live);
    if (operation == nullptr) return; // it was stored before this channel began, which was counted
    ++operation->stopped;
    operation->changed = tick;
    operation->last_told = std::max(operation->last_told, tick);
    Comm& comm = comm_of(live.start.context);
    if ((live.start.flags & Event::no_stamp) != 0) {
        operation->flags |= NcclTag::host_times;
        ++operation->timed;
    } else if (has_stamp && live.start.gpu_stamp != 0 &&
               is_believable(live.start.context, static_cast<std::uint64_t>(stamp), tick)) {
        clock_of(live.start.context).told(stamp, scale_.ns(tick));
        time_channel(comm, *operation, live.operation, live.start.channels,
                     static_cast<std::int64_t>(live.start.gpu_stamp), stamp);
    }
}

// One kernel may do the work of several operations, which then all have its stamps.
void Assembly::time_channel(Comm& comm, Operation& operation, std::uint64_t number, std::uint8_t channel,
                            std::int64_t start, std::int64_t stop) {
    if (comm.channels == nullptr) comm.channels = std::make_unique<std::array<Channel, most_channels>>();
    Channel& last = (*comm.channels)[channel]; // the last stamps that were reported
    const bool same_kernel = operation.plan != 0 && operation.plan == last.plan;
    const bool out_of_turn = last.operation > number && !same_kernel; // a later operation's stamps came before
    if (stop < start || (out_of_turn && is_behind_later(comm, operation, number, stop))) {
        operation.flags |= NcclTag::overrun;
        return;
    }
    if (same_kernel && start == last.start && stop == last.stop) {
        operation.flags |= NcclTag::batched;
        if (Operation* const other = operation_of(comm, last.operation)) other->flags |= NcclTag::batched;
    } else if (start < last.stop && !out_of_turn) {
        doubt_before(comm, number, start);
    }
    if (!out_of_turn) last = {start, stop, operation.plan, number};
    ++operation.timed;
    operation.first = std::min(operation.first, start);
    operation.latest_start = std::max(operation.latest_start, start);
    operation.last = std::max(operation.last, stop);
    operation.longest = std::max(operation.longest, stop - start);
}

// For stamps that were reported after those of later operations: whether the next of these began before `stop`.
bool Assembly::is_behind_later(const Comm& comm, const Operation& operation, std::uint64_t number, std::int64_t stop) {
    const auto begin = comm.operations.begin() + static_cast<std::ptrdiff_t>(number - comm.first) + 1;
    const auto next = std::find_if(begin, comm.operations.end(), [&](const Operation& later) {
        return later.has_stamps() && (later.plan == 0 || later.plan != operation.plan);
    });
    return next != comm.operations.end() && next->first < stop;
}

// The GPU keeps the last 64 stamps of a channel. A proxy thread that is late by more reads those of a later operation.
// So stamps of an earlier operation that lie after the start of this one were another operation's; they are dropped.
void Assembly::doubt_before(Comm& comm, std::uint64_t number, std::int64_t start) {
    for (std::uint64_t i = comm.first; i < number; ++i) {
        Operation& earlier = comm.operations[i - comm.first];
        if (!earlier.has_stamps() || earlier.last <= start) continue;
        earlier.flags |= NcclTag::overrun;
        earlier.timed = 0;
        earlier.first = Operation::never;
        earlier.last = earlier.latest_start = -Operation::never;
        earlier.longest = 0;
    }
}

} // namespace tactus::nccl
