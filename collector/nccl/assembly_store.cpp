// Decides when no more will be known of an operation, and stores it.
#include "collector/nccl/abi.hpp"
#include "collector/nccl/assembly.hpp"
#include "collector/nccl/words.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tactus::nccl {
namespace {

constexpr std::size_t most_operations = 4096;   // of a communicator, not stored yet
constexpr std::int64_t quiet_ns = 20'000'000;   // after so long without an event nothing more is expected
constexpr std::int64_t long_ns = 1'000'000'000; // the same for events that may never come
constexpr std::int64_t grace_ns = 100'000'000;  // for events of other threads after a communicator's end
constexpr unsigned most_later = 64;             // later operations that may end before an earlier one is given up
constexpr unsigned most_call_rows = 32;
constexpr unsigned most_gpu_rows = 16;

std::int64_t against(Ticks tick, Ticks enter) { return tick == 0 ? 0 : static_cast<std::int64_t>(tick - enter); }

bool has_root(Word func) {
    return func == word::broadcast || func == word::reduce || func == word::gather || func == word::scatter;
}

} // namespace

bool Assembly::is_quiet(const Operation& operation, Ticks now, std::int64_t for_ns) const {
    return now > operation.changed && scale_.ns(now) - scale_.ns(operation.changed) > for_ns;
}

// Whether the stamps of a later kernel have come, or nothing has come for long.
bool Assembly::is_followed(const Comm& comm, const Operation& operation, Ticks now) const {
    if (is_quiet(operation, now, long_ns)) return true;
    return std::any_of(comm.operations.begin() + 1, comm.operations.end(), [&](const Operation& later) {
        return later.has_stamps() && (later.plan == 0 || later.plan != operation.plan);
    });
}

// An operation is not complete at once: later events say how far the clocks are apart, and whether its stamps are its
// own.
bool Assembly::is_complete(const Comm& comm, const Operation& operation, Ticks now) const {
    if (!operation.posted || !is_quiet(operation, now, quiet_ns)) return false;
    if (const auto plan = comm.plans.find(operation.plan); plan != comm.plans.end() && !plan->second.closed)
        return false;
    if (operation.has_stamps() && !is_followed(comm, operation, now)) return false;
    const unsigned channels = expected(operation);
    if (channels == 0) return operation.open_proxies == 0 || is_quiet(operation, now, long_ns);
    if (channels == ~0U) return operation.started > 0 && operation.stopped >= operation.started;
    return operation.stopped >= channels;
}

// NCCL does not report everything: the beginning of some operations is missing, and the end of others.
bool Assembly::is_given_up(const Comm& comm, Ticks now) const {
    if (comm.operations.size() >= most_operations) return true;
    if (comm.ended != 0 && now > comm.ended && scale_.ns(now) - scale_.ns(comm.ended) > grace_ns) return true;
    const Operation& oldest = comm.operations.front();
    if (!is_quiet(oldest, now, long_ns)) return false; // its proxy thread may only be late
    unsigned later = 0;
    const std::size_t end = std::min<std::size_t>(comm.operations.size(), 3 * most_later);
    for (std::size_t i = 1; i < end; ++i) {
        const Operation& operation = comm.operations[i];
        const unsigned channels = expected(operation);
        if (!is_quiet(operation, now, quiet_ns)) break;
        if (channels == 0 || operation.stopped == 0 || (channels != ~0U && operation.stopped < channels)) continue;
        const bool same_kernel = operation.plan != 0 && operation.plan == oldest.plan;
        if (same_kernel) continue;
        if (oldest.started > 0 && (oldest.channels & ~operation.channels).none()) return true;
        if (++later >= most_later) return true;
    }
    return false;
}

void Assembly::settle(Ticks now) {
    for (auto& [context, comm] : comms_) settle(comm, now, false);
}

void Assembly::end(Ticks now) {
    for (auto& [context, comm] : comms_) {
        settle(comm, now, true);
        for (const auto& [id, plan] : comm.plans) // plans whose end did not come
            if (plan.members > 1) store_plan(comm, context, id, plan, now);
    }
    for (LiveEvents* const all : {&calls_, &work_})
        all->for_each([&](const LiveEvent& live) {
            if (live.open) cut(live, now);
        });
}

void Assembly::settle(Comm& comm, Ticks now, bool all) {
    while (!comm.operations.empty()) {
        if (!all && !is_complete(comm, comm.operations.front(), now) && !is_given_up(comm, now)) return;
        store_operation(comm, comm.operations.front(), now);
        comm.operations.pop_front();
        ++comm.first;
    }
}

NcclSpan Assembly::span_of(const Operation& operation) const {
    const unsigned channels = expected(operation);
    if (operation.timed > 0)
        return operation.timed == channels && operation.started == channels ? NcclSpan::full : NcclSpan::partial;
    return operation.last_proxy != 0 ? NcclSpan::proxy : NcclSpan::enqueue_only;
}

// Sets when the operation ran, from the best source there is: the GPU's stamps, the callbacks, or the proxies.
void Assembly::set_times(Record& record, NcclWork& work, const Operation& operation, NcclSpan span, Ticks now) {
    record.enter = operation.start.tick;
    record.leave = now; // the operation is given up now
    if (operation.has_stamps()) {
        if (const auto began = clock_of(operation.start.context).map(operation.first)) {
            record.enter = scale_.tick(began->cpu_ns);
            work.within_ns = began->within_ns;
        }
        record.leave = record.enter + static_cast<Ticks>(scale_.ticks(operation.last - operation.first));
        work.gpu_start = operation.first;
        work.gpu_stop = operation.last;
        work.skew_ns = operation.latest_start - operation.first;
        work.longest_ns = operation.longest;
    } else if (span == NcclSpan::full || span == NcclSpan::partial) {
        record.enter = operation.first_told;
        record.leave = std::max(operation.last_told, operation.first_told);
    } else if (span == NcclSpan::proxy) {
        record.leave = operation.last_proxy;
    }
}

void Assembly::set_facts(NcclWork& work, const Operation& operation, Ticks enter) {
    const Event& start = operation.start;
    work.comm = start.context + 1;
    work.handle = static_cast<std::int64_t>(start.id);
    work.sequence = static_cast<std::int64_t>(operation.kind == NcclKind::p2p ? 0 : start.sequence);
    work.datatype = names_.of_word(start.datatype);
    work.algorithm = names_.of_word(start.algorithm);
    work.protocol = names_.of_word(start.protocol);
    work.channels = start.channels;
    work.warps = start.warps;
    work.called = against(operation.called, enter);
    work.launched = against(operation.launched, enter);
    work.enqueued = against(start.tick, enter);
    work.posted = against(operation.posted_at, enter);
    work.started = operation.started;
    work.stopped = operation.stopped;
    work.group = static_cast<std::int64_t>(operation.plan);
    work.parent = static_cast<std::int64_t>(operation.launch);
}

void Assembly::store_operation(Comm& comm, const Operation& operation, Ticks now) {
    const Event& start = operation.start;
    NcclTag tag{.kind = operation.kind, .span = span_of(operation), .flags = operation.flags};
    const auto plan = comm.plans.find(operation.plan);
    const bool has_plan = plan != comm.plans.end();
    const bool in_group = has_plan && plan->second.members > 1;
    const bool on_gpu = tag.span != NcclSpan::enqueue_only;
    if (on_gpu && !in_group) tag.flags |= NcclTag::drawn;

    Record record;
    NcclWork work;
    set_times(record, work, operation, tag.span, now);
    if (tag.has(NcclTag::drawn)) draw(comm, start.context, record, tag, work);
    record.what = {.bytes = start.count * words.size(start.datatype),
                   .peer = operation.kind == NcclKind::p2p ? start.peer
                           : has_root(start.func)          ? start.root
                                                           : peer::none,
                   .tag = tag.packed(),
                   .type = names_.of_word(start.func),
                   .kind = Kind::nccl};
    set_facts(work, operation, record.enter);
    store(on_gpu ? row_of(comm, start.context) : row_of_details(), record, work);

    if (!has_plan) return;
    add_to_plan(plan->second, record, work);
    if (--plan->second.operations > 0 || !plan->second.closed) return;
    if (plan->second.members > 1) store_plan(comm, start.context, plan->first, plan->second, now);
    comm.plans.erase(plan);
}

// The kernels of a communicator run one after another. Where the clocks, or what is known of an operation, say
// otherwise, the whole operation is moved after the one before it, and its time is less certain by that distance.
void Assembly::draw(Comm& comm, std::uint32_t context, Record& record, NcclTag& tag, NcclWork& work) {
    if (const Row row = row_of(comm, context);
        row == other_comms_ && row != TraceRows::no_row) { // operations of other communicators overlap on it
        tag.flags &= static_cast<std::uint8_t>(~NcclTag::drawn);
        return;
    }
    if (record.enter < comm.drawn_leave) {
        const Ticks moved = comm.drawn_leave - record.enter;
        const std::int64_t moved_ns = scale_.ns(comm.drawn_leave) - scale_.ns(record.enter);
        constexpr std::int64_t much_ns = 1000;
        if (moved_ns > work.within_ns + comm.drawn_within_ns + much_ns) tag.flags |= NcclTag::overrun;
        if (work.gpu_start != 0) work.within_ns += moved_ns;
        record.enter += moved;
        record.leave += moved;
    }
    comm.drawn_leave = std::max(comm.drawn_leave, record.leave);
    comm.drawn_within_ns = work.within_ns;
}

void Assembly::add_to_plan(Plan& plan, const Record& record, const NcclWork& work) {
    const NcclTag tag = NcclTag::of(record.what.tag);
    if (tag.kind != NcclKind::p2p)
        plan.has_colls = true;
    else
        ++(record.what.type == names_.of_word(word::send) ? plan.work.sends : plan.work.receives);
    plan.bytes += record.what.bytes;
    plan.work.channels = std::max(plan.work.channels, work.channels);
    plan.work.datatype = work.datatype;
    plan.handed_over = std::min(plan.handed_over, record.enter + static_cast<Ticks>(work.enqueued));
    plan.posted = std::max(plan.posted, record.enter + static_cast<Ticks>(work.posted));
    if (tag.span == NcclSpan::enqueue_only) return;
    plan.enter = std::min(plan.enter, record.enter);
    plan.leave = std::max(plan.leave, record.leave);
    plan.flags |= tag.flags & static_cast<std::uint8_t>(~NcclTag::drawn);
    plan.span = std::max(plan.span, tag.span);
    plan.work.within_ns = std::max(plan.work.within_ns, work.within_ns);
    plan.work.started += work.started;
    plan.work.stopped += work.stopped;
    if (work.gpu_start == 0) return;
    const std::int64_t begun = plan.work.gpu_start;
    plan.work.gpu_start = begun == 0 ? work.gpu_start : std::min(begun, work.gpu_start);
    plan.work.gpu_stop = std::max(plan.work.gpu_stop, work.gpu_stop);
    plan.latest_start = std::max(plan.latest_start, work.gpu_start + work.skew_ns);
    plan.work.longest_ns = std::max(plan.work.longest_ns, work.longest_ns);
}

// To NCCL an all-to-all is only sends and receives, to and from all ranks, in one call. In place, a rank has none to
// itself.
Word Assembly::name_of(const Plan& plan, const Context& context) const {
    const auto others = context.ranks - 1;
    const bool all_ways = plan.work.sends == plan.work.receives && others > 0 &&
                          (plan.work.sends == others || plan.work.sends == context.ranks);
    if ((plan.single_call || context.version < 5) && all_ways) return word::all_to_all;
    if (plan.single_call && plan.work.receives >= others && plan.work.sends <= 1 && others > 0) return word::gather;
    if (plan.single_call && plan.work.sends >= others && plan.work.receives <= 1 && others > 0) return word::scatter;
    return plan.work.receives == 0 ? word::send : plan.work.sends == 0 ? word::recv : word::send_recv;
}

void Assembly::store_plan(Comm& comm, std::uint32_t context, std::uint64_t id, const Plan& plan, Ticks now) {
    const std::uint32_t name =
        plan.has_colls ? names_.of_kind(NcclKind::group) : names_.of_word(name_of(plan, contexts_[context]));
    const bool on_gpu = plan.span != NcclSpan::none;
    Record record;
    record.enter = on_gpu ? plan.enter : plan.handed_over;
    record.leave = on_gpu ? plan.leave : now;
    NcclTag tag{.kind = NcclKind::group,
                .span = on_gpu ? plan.span : NcclSpan::enqueue_only,
                .flags = static_cast<std::uint8_t>(plan.flags | (on_gpu ? NcclTag::drawn : 0))};
    NcclWork work = plan.work;
    work.comm = context + 1;
    work.handle = static_cast<std::int64_t>(id);
    work.sequence = comm.group_sequence[name]++;
    work.parent = static_cast<std::int64_t>(plan.launch);
    work.called = against(plan.called, record.enter);
    work.launched = against(plan.launched, record.enter);
    work.enqueued = against(plan.handed_over, record.enter);
    work.posted = against(plan.posted, record.enter);
    if (work.gpu_start != 0) work.skew_ns = plan.latest_start - work.gpu_start;
    if (on_gpu) draw(comm, context, record, tag, work);
    record.what = {.bytes = plan.bytes, .tag = tag.packed(), .type = name, .kind = Kind::nccl};
    store(on_gpu ? row_of(comm, context) : row_of_details(), record, work);
}

void Assembly::store_call(const LiveEvent& live, Ticks leave, std::uint8_t flags) {
    const Event& start = live.start;
    const Token token{start.id};
    const std::uint64_t type = 1ULL << token.type();
    const NcclKind kind = type == event::group_api  ? NcclKind::group_api
                          : type == event::coll_api ? NcclKind::coll_api
                          : type == event::p2p_api  ? NcclKind::p2p_api
                                                    : NcclKind::kernel_launch;
    const auto captured = token.captured() ? NcclTag::captured : std::uint8_t{0};
    const NcclTag tag{.kind = kind, .span = {}, .flags = static_cast<std::uint8_t>(NcclTag::drawn | captured | flags)};
    const bool named = kind == NcclKind::coll_api || kind == NcclKind::p2p_api;
    Record record;
    record.enter = start.tick;
    record.leave = leave;
    record.what = {.bytes = start.count * words.size(start.datatype),
                   .peer = has_root(start.func) ? start.root : peer::none,
                   .tag = tag.packed(),
                   .type = named && start.func != 0 ? names_.of_call(start.func) : names_.of_kind(kind),
                   .kind = Kind::nccl};
    NcclWork work;
    work.comm = start.context + 1;
    work.handle = static_cast<std::int64_t>(start.id);
    work.datatype = names_.of_word(start.datatype);
    work.parent = static_cast<std::int64_t>(start.parent);
    work.step = live.calls;
    static_cast<void>(comm_of(start.context));
    store(row_of_thread(token.ring() - 1), record, work);
}

void Assembly::store_detail(const LiveEvent& live, NcclKind kind, Ticks leave, std::uint8_t flags,
                            std::int64_t detail) {
    const Event& start = live.start;
    NcclTag tag{.kind = kind, .span = {}, .flags = flags};
    if ((start.flags & Event::foreign) != 0) tag.flags |= NcclTag::foreign;
    if ((start.flags & Event::sends) != 0) tag.flags |= NcclTag::sends;
    Record record;
    record.enter = start.tick;
    record.leave = leave;
    record.what = {.bytes = start.count,
                   .peer = kind == NcclKind::proxy_op ? start.peer : peer::none,
                   .tag = tag.packed(),
                   .type = names_.of_kind(kind),
                   .kind = Kind::nccl};
    NcclWork work;
    if (start.context < contexts_.count()) {
        static_cast<void>(comm_of(start.context));
        work.comm = start.context + 1;
    }
    work.handle = static_cast<std::int64_t>(start.id);
    work.parent = static_cast<std::int64_t>(start.parent);
    work.pid = static_cast<std::int64_t>(start.pid);
    work.channel = start.channels;
    work.step = kind == NcclKind::proxy_op ? static_cast<std::int64_t>(start.steps_and_chunk >> 32) : start.number;
    work.detail = detail;
    work.waited = static_cast<std::int64_t>(live.waited);
    store(row_of_details(), record, work);
}

void Assembly::store(Row row, Record record, const NcclWork& work) {
    if (row == TraceRows::no_row) return rows_.count(Loss::nccl_dropped, 1);
    record.leave = std::max(record.leave, record.enter);
    std::array<std::int64_t, NcclWork::most_words> list{};
    const std::size_t count = work.put(list.data());
    rows_.store(row, record, {list.data(), count});
}

GpuClock& Assembly::clock_of(std::uint32_t context) {
    const int device = contexts_[context].device;
    return clocks_[device >= 0 ? device : -1 - static_cast<std::int64_t>(context)];
}

Assembly::Row Assembly::row_of(Comm& comm, std::uint32_t context) {
    if (comm.row != TraceRows::no_row) return comm.row;
    if (gpu_rows_ >= most_gpu_rows) {
        if (other_comms_ == TraceRows::no_row) other_comms_ = rows_.add("GPU, others (NCCL)");
        return comm.row = other_comms_;
    }
    const Context& known = contexts_[context];
    const std::string gpu = known.device >= 0 ? " " + std::to_string(known.device) : "";
    char id[17];
    std::snprintf(id, sizeof id, "%llx", static_cast<unsigned long long>(known.id));
    const std::string name = known.name[0] != '\0' ? known.name.data()
                             : known.id != 0       ? id
                                                   : std::to_string(context + 1);
    // Rows of the same name are shown as one, so communicators that exist at the same time get different names.
    const bool is_taken = std::any_of(comms_.begin(), comms_.end(), [&](const auto& other) {
        const Context& its = contexts_[other.first];
        return other.second.row != TraceRows::no_row && other.second.ended == 0 && its.device == known.device &&
               std::strcmp(its.name.data(), known.name.data()) == 0;
    });
    const std::string number = is_taken && known.name[0] != '\0' ? " #" + std::to_string(context + 1) : "";
    comm.row = rows_.add("GPU" + gpu + " " + name + number + " (NCCL)");
    if (comm.row != TraceRows::no_row) ++gpu_rows_;
    return comm.row;
}

Assembly::Row Assembly::row_of_thread(unsigned ring) {
    Row& row = threads_[ring].row;
    if (row != TraceRows::no_row) return row;
    if (call_rows_ < most_call_rows) {
        row = rows_.add("calls " + name_of_thread_(ring) + " (NCCL)");
        if (row != TraceRows::no_row) ++call_rows_;
        return row;
    }
    if (other_calls_ == TraceRows::no_row) other_calls_ = rows_.add("calls, others (NCCL)");
    return row = other_calls_;
}

Assembly::Row Assembly::row_of_details() {
    if (details_ == TraceRows::no_row) details_ = rows_.add("proxy (NCCL)");
    return details_;
}

} // namespace tactus::nccl
