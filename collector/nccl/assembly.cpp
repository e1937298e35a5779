#include "collector/nccl/assembly.hpp"

#include "collector/nccl/abi.hpp"
#include "collector/nccl/words.hpp"

#include <algorithm>
#include <bit>

namespace tactus::nccl {
namespace {

constexpr std::size_t most_plans = 4096; // of a communicator, not finished yet

constexpr unsigned bit(std::uint64_t type) { return static_cast<unsigned>(std::countr_zero(type)); }

bool is_operation(unsigned type) {
    return type == bit(event::coll) || type == bit(event::p2p) || type == bit(event::copy_coll);
}

// In versions 3 and 4 the parent is the plan.
std::uint64_t plan_of(const Event& event) {
    const bool parent_is_plan = Token{event.parent}.type() == bit(event::group) && event.parent != 0;
    return parent_is_plan ? event.parent : event.plan;
}

std::int64_t chunk_size(const Event& proxy_op) {
    return static_cast<std::int64_t>(proxy_op.steps_and_chunk & 0xffff'ffff);
}

void stop_waiting(LiveEvent& step, Ticks tick) {
    if (step.since != 0) step.waited += tick - step.since;
    step.since = 0;
}

} // namespace

Assembly::Assembly(TraceRows& rows, const Contexts& contexts, std::uint64_t wanted,
                   std::string (*name_of_thread)(unsigned ring))
    : rows_{rows}, contexts_{contexts}, wanted_{wanted}, name_of_thread_{name_of_thread}, names_{rows} {}

void Assembly::take(const Event& event, unsigned ring) {
    threads_[ring].before = std::exchange(threads_[ring].latest, event.tick);
    switch (event.moment) {
    case Moment::start:
        return start(event);
    case Moment::stop:
        return stop(event);
    case Moment::state:
        return state(event);
    case Moment::finalize:
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
                plan->second.single_call = group != nullptr && group->start.depth == 1;
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
    default:
        stop_detail(*live, type, event.tick);
    }
    those_like(event.id).remove(*live);
}

// Stores what the proxy, the network and copies did for an operation.
void Assembly::stop_detail(LiveEvent& live, std::uint64_t type, Ticks tick) {
    switch (type) {
    case event::proxy_op:
        if (Operation* const operation = operation_of(live)) {
            --operation->open_proxies;
            operation->last_proxy = std::max(operation->last_proxy, tick);
            operation->changed = tick;
        }
        return store_detail(live, NcclKind::proxy_op, tick, 0, chunk_size(live.start));
    case event::proxy_step:
        stop_waiting(live, tick);
        return store_detail(live, NcclKind::proxy_step, tick, 0, 0);
    case event::proxy_control:
        return store_detail(live, NcclKind::proxy_control, tick, 0, live.start.state);
    case event::net_plugin:
        return store_detail(live, NcclKind::net, tick, 0, static_cast<std::int64_t>(live.start.network_id));
    case event::copy_sync:
        return store_detail(live, NcclKind::copy_sync, tick, 0, 0);
    case event::copy_batch:
        return store_detail(live, NcclKind::copy_batch, tick, 0, 0);
    default:
        return;
    }
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
    switch (event.state) {
    case state::kernel_channel_stop:
        if (!live->told)
            stop_channel(*live, event.tick, static_cast<std::int64_t>(event.gpu_stamp), event.gpu_stamp != 0);
        return;
    case state::step_send_gpu_wait:
    case state::step_send_peer_wait:
    case state::step_recv_wait:
    case state::step_recv_gpu_wait:
        stop_waiting(*live, event.tick);
        live->since = event.tick;
        if (event.state == state::step_recv_gpu_wait) live->start.count = event.count;
        return;
    case state::step_send_wait:
    case state::step_recv_flush_wait:
        stop_waiting(*live, event.tick);
        live->start.count = event.count;
        return;
    default:
        if (event.state >= state::control_idle && event.state <= state::control_append_end)
            live->start.state = event.state;
    }
}

// Stores an event that has not ended: it makes room for another one, or nothing comes any more.
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
        return store_detail(live, NcclKind::net, now, NcclTag::cut, static_cast<std::int64_t>(live.start.network_id));
    default: // operations are stored separately, and the other events say nothing
        return;
    }
}

unsigned Assembly::expected(const Operation& operation) const {
    constexpr unsigned unknown = ~0U;
    const Context& context = contexts_[operation.start.context];
    if ((wanted_ & event::kernel_channel) == 0 || operation.kind == NcclKind::copy_coll) return 0;
    if (operation.kind == NcclKind::p2p) {
        if (context.version > 3 && operation.start.peer == context.rank)
            return 0; // a message to itself: the GPU copies it
        if ((operation.start.flags & Event::guessed_channels) != 0) return unknown;
    }
    return operation.start.channels != 0 ? operation.start.channels : unknown;
}

void Assembly::ring_ended(unsigned ring) { threads_[ring] = {}; }

} // namespace tactus::nccl
