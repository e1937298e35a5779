#include "postproc/export/perfetto_rank.hpp"

#include "postproc/export/perfetto_fields.hpp"
#include "postproc/export/perfetto_numbers.hpp"
#include "postproc/nccl/rank_operations.hpp"
#include "postproc/profile/moved.hpp"
#include "trace/defined.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>

namespace tactus {
namespace {

namespace fields = perfetto;

using fields::process_number;
using fields::thread_number;
using fields::track_number;
using fields::TrackKind;

} // namespace

PerfettoRank::PerfettoRank(const RankFile& file, const Flows& flows, PerfettoThreads& threads, OutputFile& out,
                           NotSaid& not_said)
    : file_{file}, flows_{flows}, of_threads_{threads}, packets_{file.header().rank + std::uint64_t{1}, out},
      not_said_{not_said}, rank_{file.header().rank} {
    describe_process();
}

void PerfettoRank::describe_process() {
    Protobuf process;
    process.number(fields::process::pid, process_number(rank_))
        .text(fields::process::name, "rank " + std::to_string(rank_) + " (" + file_.header().host + ")");
    Protobuf track;
    track.number(fields::descriptor::uuid, track_number(TrackKind::process, rank_, 0))
        .message(fields::descriptor::process, process);
    packets_.put_track(track);
}

void PerfettoRank::describe_thread(std::uint32_t lane) {
    const ThreadName* named = defined(file_.definitions().threads, lane);
    std::string name = named != nullptr ? named->name : "";
    if (name.empty()) name = lane == 0 ? "main thread" : "thread " + std::to_string(lane);
    Protobuf thread;
    thread.number(fields::thread::pid, process_number(rank_))
        .number(fields::thread::tid, thread_number(rank_, lane))
        .text(fields::thread::name, name);
    Protobuf track;
    track.number(fields::descriptor::uuid, fields::thread_track(rank_, lane))
        .number(fields::descriptor::parent, track_number(TrackKind::process, rank_, 0))
        .message(fields::descriptor::thread, thread);
    packets_.put_track(track);
}

std::uint64_t PerfettoRank::counter_track(const Counter& counter) {
    const std::uint32_t lane = counter.of_process ? 0 : lane_;
    const auto [known, is_new] = counter_tracks_.try_emplace(
        lane << 16 ^ counter.number,
        track_number(TrackKind::counter, rank_, static_cast<std::uint32_t>(counter_tracks_.size())));
    if (!is_new) return known->second;
    Protobuf unit;
    unit.text(fields::counter::unit_name, counter.unit);
    Protobuf track;
    track.number(fields::descriptor::uuid, known->second)
        .text(fields::descriptor::name, counter.name)
        .number(fields::descriptor::parent,
                counter.of_process ? track_number(TrackKind::process, rank_, 0) : fields::thread_track(rank_, lane_))
        .message(fields::descriptor::counter, unit);
    packets_.put_track(track);
    return known->second;
}

std::uint64_t PerfettoRank::interned(std::uint32_t list, const std::string& name) {
    const auto [known, is_new] = names_.try_emplace({list, name}, names_.size() + 1);
    if (!is_new) return known->second;
    Protobuf protobuf;
    protobuf.number(fields::interned::iid, known->second).text(fields::interned::name, name);
    packets_.new_names().message(list, protobuf);
    return known->second;
}

std::uint64_t PerfettoRank::category(Kind kind) {
    const bool call = kind == Kind::call;
    const bool nccl = kind == Kind::nccl;
    std::uint64_t& known = call ? mpi_category_ : nccl ? nccl_category_ : own_category_;
    if (known == 0) known = interned(fields::interned::categories, call ? "MPI" : nccl ? "NCCL" : "application");
    return known;
}

std::uint64_t PerfettoRank::annotation_name(const char* name) {
    const auto [known, is_new] = of_annotation_.try_emplace(name, 0);
    if (is_new) known->second = interned(fields::interned::annotation_names, name);
    return known->second;
}

std::uint64_t PerfettoRank::name_of_function(Function function) {
    const auto [known, is_new] = of_function_.try_emplace(static_cast<std::uint32_t>(function), 0);
    if (is_new) known->second = interned(fields::interned::event_names, name_of(function));
    return known->second;
}

void PerfettoRank::put_event(std::uint64_t time) {
    packets_.put_timed(time, fields::packet::track_event, event_);
    ++events_;
}

void PerfettoRank::annotate(const char* name, std::uint64_t value) {
    part_.clear();
    part_.number(fields::annotation::name, annotation_name(name)).number(fields::annotation::unsigned_value, value);
    event_.message(fields::event::annotation, part_);
}

void PerfettoRank::annotate_signed(const char* name, std::int64_t value) {
    part_.clear();
    part_.number(fields::annotation::name, annotation_name(name))
        .number(fields::annotation::signed_value, static_cast<std::uint64_t>(value));
    event_.message(fields::event::annotation, part_);
}

void PerfettoRank::annotate_text(const char* name, const std::string& value) {
    part_.clear();
    part_.number(fields::annotation::name, annotation_name(name)).text(fields::annotation::text, value);
    event_.message(fields::event::annotation, part_);
}

// Peers are given as ranks of MPI_COMM_WORLD, because the tracks are named by these.
void PerfettoRank::annotate_call(const Record& record, Words words) {
    const Signature& what = record.what;
    const Comm* comm = file_.comm(what.comm);
    if (what.has(flag::repeated)) annotate(found_nothing(what) ? "unsuccessful calls" : "calls", calls_of(record));
    if (what.has(flag::failed)) annotate("failed", 1);
    if (what.has(flag::unfinished)) annotate("unfinished", 1);
    if (what.has(flag::repeated) || what.has(flag::failed)) return;
    if (comm != nullptr && comm->number > 1)
        annotate_text("communicator", comm->name.empty() ? "#" + std::to_string(comm->number) : comm->name);
    const Shape shape = shape_of(what.function);
    if (is_send(shape) && what.peer >= 0) {
        annotate_signed("to", comm != nullptr ? comm->world_rank(what.peer) : what.peer);
        annotate_signed("tag", what.tag);
    }
    if (pattern_of(shape) != Pattern::none && what.peer >= 0)
        annotate_signed("root", comm != nullptr ? comm->world_rank(what.peer) : what.peer);
    const Moved moved = bytes_moved(record, words, [&](std::uint32_t number) { return file_.comm(number); });
    if (moved.sent > 0) annotate("bytes sent", moved.sent);
    if (moved.received > 0) annotate("bytes received", moved.received);
}

void PerfettoRank::annotate_nccl(const Record& record, Words words) {
    const NcclTag tag = NcclTag::of(record.what.tag);
    if (!tag.is_sound()) return;
    const NcclWork work = NcclWork::from(words);
    annotate_text("function", nccl_function(file_, record.what.type));
    annotate_text("kind", nccl_kinds[static_cast<std::size_t>(tag.kind)].meaning);
    annotate("bytes", record.what.bytes);
    if (record.what.peer >= 0) annotate_signed("peer", record.what.peer);
    const NcclComm* const comm = nccl_comm(file_, work.comm);
    if (comm != nullptr)
        annotate_text("communicator", comm->name.empty() ? "#" + std::to_string(work.comm) : comm->name);
    if (!is_operation(tag.kind)) return;
    annotate_signed("sequence", work.sequence);
    annotate_text("completeness", nccl_spans[static_cast<std::size_t>(tag.span)]);
    if (work.channels > 0) annotate_signed("channels", work.channels);
    if (work.within_ns > 0) annotate_signed("right within ns", work.within_ns);
    if (tag.has(NcclTag::batched)) annotate("in one kernel with others", 1);
    if (tag.has(NcclTag::overrun)) annotate("stamps left out", 1);
    if (tag.has(NcclTag::host_times)) annotate("by callbacks", 1);
    if (tag.has(NcclTag::cut)) annotate("unfinished", 1);
}

const Symbol* PerfettoRank::symbol_of(const Record& region) const {
    return defined(file_.definitions().symbols, region.what.type);
}

// Scopes may overlap with everything else, so each gets its own track.
std::uint64_t PerfettoRank::track_of(const ExportStep& step) {
    const Symbol* symbol = step.record->what.kind == Kind::region ? symbol_of(*step.record) : nullptr;
    if (symbol == nullptr || !symbol->scope) return fields::thread_track(rank_, step.lane);
    const auto [known, is_new] = scope_tracks_.try_emplace(
        step.lane << 16 ^ symbol->number,
        track_number(TrackKind::scope, rank_, static_cast<std::uint32_t>(scope_tracks_.size())));
    if (!is_new) return known->second;
    Protobuf track;
    track.number(fields::descriptor::uuid, known->second)
        .text(fields::descriptor::name, symbol->name)
        .number(fields::descriptor::parent, fields::thread_track(rank_, step.lane));
    packets_.put_track(track);
    return known->second;
}

void PerfettoRank::enter(const ExportStep& step) {
    const Record& record = *step.record;
    const bool call = record.what.kind == Kind::call;
    const std::uint64_t track = track_of(step);
    event_.clear();
    event_.number(fields::event::type, fields::event::slice_begin).number(fields::event::track, track);
    event_.number(fields::event::category, category(record.what.kind));
    if (call) {
        event_.number(fields::event::name, name_of_function(record.what.function));
        annotate_call(record, step.words);
        for (const FlowEnd& end : flows_.sent(rank_, step.lane, record.enter))
            event_.fixed64(fields::event::flow, end.flow);
    } else {
        const Symbol* symbol = symbol_of(record);
        const std::string name = symbol != nullptr ? symbol->name : "#" + std::to_string(record.what.type);
        event_.number(fields::event::name, interned(fields::interned::event_names, name));
        if (record.what.kind == Kind::nccl)
            annotate_nccl(record, step.words);
        else if (const Scl* begin = defined(file_.definitions().scls, static_cast<std::uint32_t>(record.what.tag)))
            annotate_text("place", begin->file + ":" + std::to_string(begin->line));
    }
    put_event(step.time);
}

// A flow ends at an instant just before the end of its call, because a message arrives when the call returns, not when
// it begins.
void PerfettoRank::receipts(const ExportStep& step) {
    if (received_name_ == 0) received_name_ = interned(fields::interned::event_names, "message received");
    for (const FlowEnd& end : flows_.received(rank_, step.lane, step.record->leave)) {
        event_.clear();
        event_.number(fields::event::type, fields::event::instant)
            .number(fields::event::track, fields::thread_track(rank_, step.lane))
            .number(fields::event::category, category(Kind::call))
            .number(fields::event::name, received_name_)
            .fixed64(fields::event::terminating_flow, end.flow);
        annotate("from", end.other);
        annotate_signed("tag", end.tag);
        annotate("bytes", end.bytes);
        put_event(step.time);
    }
}

void PerfettoRank::leave(const ExportStep& step) {
    if (step.record->what.kind == Kind::call) receipts(step);
    const std::uint64_t track = track_of(step);
    event_.clear();
    event_.number(fields::event::type, fields::event::slice_end).number(fields::event::track, track);
    put_event(step.time);
}

void PerfettoRank::counter(const ExportStep& step) {
    const Counter* counter = defined(file_.definitions().counters, step.record->what.type);
    if (counter == nullptr) return not_said_.add("values of counters that are not defined");
    const std::uint64_t track = counter_track(*counter);
    event_.clear();
    event_.number(fields::event::type, fields::event::counter_type).number(fields::event::track, track);
    if (counter->type == CounterType::floating)
        event_.floating(fields::event::double_counter_value, value_of(*counter, step.record->what.bytes));
    else
        event_.number(fields::event::counter_value, step.record->what.bytes);
    put_event(step.time);
}

void PerfettoRank::note(const ExportStep& step) {
    const Record& record = *step.record;
    const bool comment = record.what.kind == Kind::comment;
    event_.clear();
    event_.number(fields::event::type, fields::event::instant)
        .number(fields::event::track, fields::thread_track(rank_, step.lane));
    event_.number(fields::event::category, interned(fields::interned::categories, comment ? "application" : "tracer"));
    if (comment) {
        event_.text(fields::event::text_name, text_in(step.words, record.what.bytes));
    } else if (record.what.kind == Kind::loss) {
        event_.number(fields::event::name, interned(fields::interned::event_names, "calls not recorded"));
        annotate("calls", record.what.bytes);
    } else {
        event_.number(fields::event::name, interned(fields::interned::event_names, "waited for the tracer"));
        annotate("ticks", record.leave - record.enter);
    }
    put_event(step.time);
}

void PerfettoRank::at(const ExportStep& step) {
    lane_ = step.lane;
    if (threads_.insert(step.lane).second) describe_thread(step.lane);
    if (step.kind == StepKind::enter) return enter(step);
    if (step.kind == StepKind::leave) return leave(step);
    switch (step.record->what.kind) {
    case Kind::counter:
        return counter(step);
    case Kind::comment:
    case Kind::loss:
    case Kind::stall:
        return note(step);
    case Kind::stretch:
        return of_threads_.stretch(step.lane, *step.record, step.words);
    case Kind::nccl:
        if (is_operation(NcclTag::of(step.record->what.tag).kind))
            not_said_.add("operations of NCCL whose times are not known");
        return;
    default:
        return;
    }
}

} // namespace tactus
