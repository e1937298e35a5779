#include "collector/nccl/assembly.hpp"

#include "collector/nccl/abi.hpp"
#include "collector/nccl/words.hpp"

#include <algorithm>
#include <bit>

namespace tactus::nccl {
namespace {

constexpr std::size_t most_plans = 4096; // of a communicator, on their way

constexpr unsigned bit(std::uint64_t type) { return static_cast<unsigned>(std::countr_zero(type)); }

bool is_operation(unsigned type) {
    return type == bit(event::coll) || type == bit(event::p2p) || type == bit(event::copy_coll);
}

// Versions 3 and 4 have the plan as parent.
std::uint64_t plan_of(const Event& event) {
    const bool parent_is_plan = Token{event.parent}.type() == bit(event::group) && event.parent != 0;
    return parent_is_plan ? event.parent : event.group;
}

std::int64_t chunk_size(const Event& proxy_op) { return static_cast<std::int64_t>(proxy_op.b & 0xffff'ffff); }

void stop_waiting(LiveEvent& step, Ticks tick) {
    if (step.since != 0) step.waited += tick - step.since;
    step.since = 0;
}

// Stamps of a GPU are nanoseconds since 1970; some give zero instead.
bool is_stamp(std::uint64_t ns) { return ns != 0 && ns < 1ULL << 62; }

} // namespace

Assembly::Assembly(TraceRows& rows, const Contexts& contexts, std::uint64_t wanted,
                   std::string (*name_of_thread)(unsigned ring))
    : rows_{rows}, contexts_{contexts}, wanted_{wanted}, name_of_thread_{name_of_thread}, names_{rows} {}

void Assembly::take(const Event& event, unsigned ring) {
    threads_[ring].before = std::exchange(threads_[ring].latest, event.tick);
    switch (event.step) {
    case Step::start:
        return start(event);
    case Step::stop:
        return stop(event);
    case Step::state:
        return state(event);
    case Step::finalize:
        if (const auto known = comms_.find(event.context); known != comms_.end()) known->second.ended = event.tick;
        return;
    }
}

Assembly::Comm& Assembly::comm_of(std::uint32_t context) {
    Comm& comm = comms_[context];
    const Context& known = contexts_[context];
    const bool says_late = known.version == 3 && comm.id == 0;
    if (comm.first != 0 && !says_late) return comm;
    const std::uint64_t id = says_late ? contexts_.learned_id(context) : known.id;
    if (comm.first != 0 && id == comm.id) return comm;
    if (comm.first == 0) comm.first = 1;
    comm.id = id;
    NcclComm definition{.number = context + 1,
                        .id = id,
                        .name = known.name.data(),
                        .ranks = static_cast<std::uint32_t>(known.ranks),
                        .nodes = static_cast<std::uint32_t>(known.nodes),
                        .rank = static_cast<std::uint32_t>(says_late ? contexts_.learned_rank(context) : known.rank),
                        .device = known.device,
                        .interface = static_cast<std::uint32_t>(known.version)};
    Definitions more;
    more.nccl_comms.push_back(std::move(definition));
    rows_.define(more);
    return comm;
}

Operation* Assembly::operation_of(Comm& comm, std::uint64_t number) {
    const std::uint64_t index = number - comm.first;
    return number >= comm.first && index < comm.operations.size() ? &comm.operations[index] : nullptr;
}

Operation* Assembly::operation_of(const LiveEvent& live) {
    return live.operation != 0 ? operation_of(comm_of(live.start.context), live.operation) : nullptr;
}

void Assembly::start(const Event& event) {
    const unsigned type = Token{event.id}.type();
    LiveEvent& live = those_like(event.id).add(event, [&](const LiveEvent& old) { cut(old, event.tick); });
    if (is_operation(type)) return start_operation(event, live);
    if (type == bit(event::group)) return start_plan(event);
    if (type == bit(event::kernel_launch)) {
        Thread& thread = threads_[Token{event.id}.ring() - 1];
        thread.launched = event.tick;
        thread.launch = event.id;
        launches_ += Token{event.id}.captured() ? 0 : 1;
        return;
    }
    if ((event.flags & Event::foreign) != 0) return;
    LiveEvent* const parent = event.parent != 0 ? find(event.parent) : nullptr;
    if (parent != nullptr && (type == bit(event::coll_api) || type == bit(event::p2p_api))) {
        ++parent->calls;
        return;
    }
    const bool below = type == bit(event::kernel_channel) || type == bit(event::proxy_op) ||
                       type == bit(event::proxy_step) || type == bit(event::net_plugin) ||
                       type == bit(event::copy_sync) || type == bit(event::copy_batch);
    if (!below) return;
    if (parent == nullptr) { // what it belongs to is stored already, or was never begun
        rows_.count(Loss::nccl_invalid, 1);
        return;
    }
    live.operation = parent->operation;
    live.start.context = parent->start.context;
    if (type == bit(event::kernel_channel)) return start_channel(live);
    Operation* const operation = operation_of(live);
    if (type == bit(event::proxy_op) && operation != nullptr) {
        ++operation->open_proxies;
        operation->changed = event.tick;
    }
}

void Assembly::start_operation(const Event& event, LiveEvent& live) {
    Comm& comm = comm_of(event.context);
    Operation operation;
    operation.start = event;
    const unsigned type = Token{event.id}.type();
    operation.kind = type == bit(event::coll)  ? NcclKind::coll
                     : type == bit(event::p2p) ? NcclKind::p2p
                                               : NcclKind::copy_coll;
    operation.changed = event.tick;
    operation.plan = plan_of(event);
    const auto plan = comm.plans.find(operation.plan);
    const bool replayed = Token{event.parent}.captured();
    if (replayed) operation.flags |= NcclTag::captured;
    if (LiveEvent* const call = find(event.parent); call != nullptr && !replayed) {
        const unsigned caller = Token{event.parent}.type();
        if (caller == bit(event::coll_api) || caller == bit(event::p2p_api)) {
            operation.called = call->start.tick;
            if (plan != comm.plans.end() && plan->second.members == 0 && plan->second.called == 0) {
                LiveEvent* const group = find(call->start.parent);
                plan->second.called = call->start.tick;
                plan->second.single_call = group != nullptr && group->start.number == 1;
            }
        }
    }
    if (plan != comm.plans.end()) {
        operation.launched = plan->second.launched;
        operation.launch = plan->second.launch;
        operation.after = plan->second.after;
        ++plan->second.operations;
        ++plan->second.members;
    } else {
        operation.plan = 0;
    }
    live.operation = comm.first + comm.operations.size();
    comm.operations.push_back(operation);
}

void Assembly::start_plan(const Event& event) {
    Thread& thread = threads_[Token{event.id}.ring() - 1];
    Comm& comm = comm_of(event.context);
    if (comm.plans.size() >= most_plans) comm.plans.erase(comm.plans.begin()); // its end was lost
    comm.plans[event.id] = Plan{.launched = std::exchange(thread.launched, 0),
                                .launch = std::exchange(thread.launch, 0),
                                .after = thread.before,
                                .work = {}};
}

void Assembly::stop_operation(const Event& event, LiveEvent& live) {
    Operation* const operation = operation_of(live);
    if (operation == nullptr) return;
    operation->posted = true;
    operation->posted_at = event.tick;
    operation->changed = event.tick;
}

void Assembly::stop(const Event& event) {
    LiveEvent* const live = find(event.id);
    if (live == nullptr || !live->open) return rows_.count(Loss::nccl_invalid, 1);
    live->open = false;
    const std::uint64_t type = 1ULL << Token{event.id}.type();
    switch (type) {
    case event::coll:
    case event::p2p:
    case event::copy_coll:
        return stop_operation(event, *live); // what is below it may still come
    case event::group_api:
    case event::coll_api:
    case event::p2p_api:
        return store_call(*live, event.tick, 0); // the same
    case event::kernel_launch:
        store_call(*live, event.tick, 0);
        break;
    case event::group:
        stop_plan(*live, event.tick);
        break;
    case event::kernel_channel:
        if (!live->told) stop_channel(*live, event.tick, 0, false);
        break;
    case event::proxy_op:
        if (Operation* const operation = operation_of(*live)) {
            --operation->open_proxies;
            operation->last_proxy = std::max(operation->last_proxy, event.tick);
            operation->changed = event.tick;
        }
        store_detail(*live, NcclKind::proxy_op, event.tick, 0, chunk_size(live->start));
        break;
    case event::proxy_step:
        stop_waiting(*live, event.tick);
        store_detail(*live, NcclKind::proxy_step, event.tick, 0, 0);
        break;
    case event::proxy_control:
        store_detail(*live, NcclKind::proxy_control, event.tick, 0, live->start.number);
        break;
    case event::net_plugin:
        store_detail(*live, NcclKind::net, event.tick, 0, static_cast<std::int64_t>(live->start.b));
        break;
    case event::copy_sync:
    case event::copy_batch:
        store_detail(*live, type == event::copy_sync ? NcclKind::copy_sync : NcclKind::copy_batch, event.tick, 0, 0);
        break;
    default:
        break;
    }
    those_like(event.id).remove(*live);
}

void Assembly::stop_plan(const LiveEvent& live, Ticks tick) {
    Comm& comm = comm_of(live.start.context);
    const auto plan = comm.plans.find(live.start.id);
    if (plan == comm.plans.end()) return;
    plan->second.closed = true;
    if (plan->second.operations > 0) return;
    if (plan->second.members > 1) store_plan(comm, live.start.context, plan->first, plan->second, tick);
    comm.plans.erase(plan);
}

void Assembly::state(const Event& event) {
    LiveEvent* const live = find(event.id);
    if (live == nullptr || !live->open) return rows_.count(Loss::nccl_invalid, 1);
    switch (event.number) {
    case state::kernel_channel_stop:
        if (!live->told) stop_channel(*live, event.tick, static_cast<std::int64_t>(event.b), event.b != 0);
        return;
    case state::step_send_gpu_wait:
    case state::step_send_peer_wait:
    case state::step_recv_wait:
    case state::step_recv_gpu_wait:
        stop_waiting(*live, event.tick);
        live->since = event.tick;
        if (event.number == state::step_recv_gpu_wait) live->start.count = event.count;
        return;
    case state::step_send_wait:
    case state::step_recv_flush_wait:
        stop_waiting(*live, event.tick);
        live->start.count = event.count;
        return;
    default:
        if (event.number >= state::control_idle && event.number <= state::control_append_end)
            live->start.number = event.number;
    }
}

void Assembly::start_channel(LiveEvent& live) {
    Operation* const operation = operation_of(live);
    if (operation == nullptr) return rows_.count(Loss::nccl_invalid, 1);
    ++operation->started;
    if (!is_believable(live.start.context, live.start.b, live.start.tick)) live.start.b = 0;
    operation->channels.set(live.start.channels);
    operation->changed = live.start.tick;
    operation->first_told = std::min(operation->first_told, live.start.tick);
    if (live.start.b == 0) return;
    const auto stamp = static_cast<std::int64_t>(live.start.b);
    GpuClock& clock = clock_of(live.start.context);
    clock.told(stamp, scale_.ns(live.start.tick));
    // A kernel of a graph is launched with it, behind this. Where launches are not told: behind what its thread did
    // before.
    const bool replayed = (operation->flags & NcclTag::captured) != 0;
    const Ticks earliest = replayed                   ? operation->start.tick
                           : operation->launched != 0 ? operation->launched
                           : operation->called != 0   ? operation->called
                                                      : operation->after;
    if (earliest != 0) clock.launched(stamp, scale_.ns(earliest));
}

// By the clock as it is known so far: not far behind its callback, nor a day before it, or before the machine started.
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
    if (operation == nullptr) return; // it was stored before this began, which was counted
    ++operation->stopped;
    operation->changed = tick;
    operation->last_told = std::max(operation->last_told, tick);
    Comm& comm = comm_of(live.start.context);
    if ((live.start.flags & Event::no_stamp) != 0) {
        operation->flags |= NcclTag::host_times;
        ++operation->timed;
    } else if (has_stamp && live.start.b != 0 &&
               is_believable(live.start.context, static_cast<std::uint64_t>(stamp), tick)) {
        clock_of(live.start.context).told(stamp, scale_.ns(tick));
        time_channel(comm, *operation, live.operation, live.start.channels, static_cast<std::int64_t>(live.start.b),
                     stamp);
    }
}

// One kernel may do the work of several operations, which then have its stamps.
void Assembly::time_channel(Comm& comm, Operation& operation, std::uint64_t number, std::uint8_t channel,
                            std::int64_t start, std::int64_t stop) {
    if (comm.channels == nullptr) comm.channels = std::make_unique<std::array<Channel, most_channels>>();
    Channel& last = (*comm.channels)[channel]; // told
    const bool same_kernel = operation.plan != 0 && operation.plan == last.plan;
    const bool out_of_turn = last.operation > number && !same_kernel; // a later operation's were told before
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

// Of stamps that were told after those of later operations: whether one of these began before.
bool Assembly::is_behind_later(const Comm& comm, const Operation& operation, std::uint64_t number, std::int64_t stop) {
    const auto begin = comm.operations.begin() + static_cast<std::ptrdiff_t>(number - comm.first) + 1;
    const auto next = std::find_if(begin, comm.operations.end(), [&](const Operation& later) {
        return later.has_stamps() && (later.plan == 0 || later.plan != operation.plan);
    });
    return next != comm.operations.end() && next->first < stop;
}

// The GPU keeps the last 64 stamps of a channel: a proxy thread that is later than that reads those of a later
// operation. So what was told of an earlier one, and is behind the start of this one, was another's.
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

// It made room for others, or nothing comes any more.
void Assembly::cut(const LiveEvent& live, Ticks now) {
    switch (1ULL << Token{live.start.id}.type()) {
    case event::group_api:
    case event::coll_api:
    case event::p2p_api:
    case event::kernel_launch:
        return store_call(live, now, NcclTag::cut);
    case event::proxy_op:
        return store_detail(live, NcclKind::proxy_op, now, NcclTag::cut, chunk_size(live.start));
    case event::proxy_step:
        return store_detail(live, NcclKind::proxy_step, now, NcclTag::cut, 0);
    case event::net_plugin:
        return store_detail(live, NcclKind::net, now, NcclTag::cut, static_cast<std::int64_t>(live.start.b));
    default: // operations are stored in their own time, and what is left says nothing
        return;
    }
}

unsigned Assembly::expected(const Operation& operation) const {
    constexpr unsigned unknown = ~0U;
    const Context& context = contexts_[operation.start.context];
    if ((wanted_ & event::kernel_channel) == 0 || operation.kind == NcclKind::copy_coll) return 0;
    if (operation.kind == NcclKind::p2p) {
        if (context.version > 3 && operation.start.number == context.rank) return 0; // to itself: the GPU copies
        if ((operation.start.flags & Event::guessed_channels) != 0) return unknown;
    }
    return operation.start.channels != 0 ? operation.start.channels : unknown;
}

void Assembly::ring_ended(unsigned ring) { threads_[ring] = {}; }

} // namespace tactus::nccl
