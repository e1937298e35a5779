#include "postproc/export/otf2_events.hpp"

#include "postproc/export/otf2_names.hpp"
#include "postproc/profile/moved.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

namespace tactus {
namespace {

constexpr std::uint64_t receiving_half = std::uint64_t{1} << 62; // flag in the request number of an MPI_Isendrecv

bool moves_nothing(const Signature& what) {
    return what.has(flag::repeated) || what.has(flag::failed) || mode_of(what.function) == Mode::persistent ||
           is_partitioned(what.function);
}

bool is_rooted(Shape shape) {
    return pattern_of(shape) == Pattern::one_to_all || pattern_of(shape) == Pattern::all_to_one;
}

// OTF2 also counts making and freeing communicators as collectives.
bool is_collective_there(const Signature& what) {
    if (pattern_of(shape_of(what.function)) != Pattern::none) return true;
    return what.comm != 0 && !what.has(flag::starts) && otf2_operation_of(what.function).has_value();
}

std::uint32_t root_of(const Signature& what) {
    if (!is_rooted(shape_of(what.function))) return OTF2_COLLECTIVE_ROOT_NONE;
    if (what.peer == peer::root) return OTF2_COLLECTIVE_ROOT_SELF;
    return what.peer < 0 ? OTF2_COLLECTIVE_ROOT_NONE : static_cast<std::uint32_t>(what.peer);
}

} // namespace

Otf2RankEvents::Otf2RankEvents(OTF2_Archive* archive, const RankFile& file, Otf2Definitions& definitions,
                               Otf2Markers& markers, Otf2Errors& errors)
    : archive_{archive}, file_{file}, definitions_{definitions}, markers_{markers}, errors_{errors},
      attributes_{OTF2_AttributeList_New()} {
    definitions_.begin_rank(file);
}

Otf2RankEvents::~Otf2RankEvents() { OTF2_AttributeList_Delete(attributes_); }

void Otf2RankEvents::at(const ExportStep& step) {
    if (writer_ == nullptr || lane_ != step.lane) {
        of_lane_ = &lanes_[step.lane];
        OTF2_EvtWriter*& writer = of_lane_->writer;
        if (writer == nullptr)
            writer = OTF2_Archive_GetEvtWriter(archive_, otf2_location(file_.header().rank, step.lane));
        if (writer == nullptr) return errors_.failed(OTF2_ERROR_MEM_ALLOC_FAILED);
        writer_ = writer;
        lane_ = step.lane;
    }
    time_ = step.time;
    if (step.kind == StepKind::enter)
        enter(*step.record, step.words);
    else if (step.kind == StepKind::leave)
        leave(*step.record, step.words);
    else
        instant(*step.record, step.words);
    of_lane_->last = time_;
}

OTF2_AttributeList* Otf2RankEvents::attributes_of(const Record& record) {
    const auto add = [&](Otf2Attribute which, std::uint64_t value) {
        errors_.check(OTF2_AttributeList_AddUint64(attributes_, static_cast<OTF2_AttributeRef>(which), value));
    };
    if (record.what.kind == Kind::call && record.what.has(flag::repeated)) {
        const double units = time_units_per_ns * 1e9 * file_.seconds(inside_of(record));
        add(Otf2Attribute::calls, calls_of(record));
        add(Otf2Attribute::inside, static_cast<std::uint64_t>(std::llround(units)));
    }
    if (record.what.kind == Kind::call && record.what.has(flag::failed)) add(Otf2Attribute::failed, 1);
    if (record.what.has(flag::unfinished)) add(Otf2Attribute::unfinished, 1);
    return attributes_;
}

bool Otf2RankEvents::is_scope(const Record& region) const {
    const std::vector<Symbol>& known = file_.definitions().symbols; // by number
    const auto symbol =
        std::lower_bound(known.begin(), known.end(), region.what.type,
                         [](const Symbol& candidate, std::uint32_t number) { return candidate.number < number; });
    return symbol != known.end() && symbol->number == region.what.type && symbol->scope;
}

void Otf2RankEvents::enter(const Record& record, Words words) {
    const bool call = record.what.kind == Kind::call;
    if (!call && is_scope(record)) return definitions_.not_said().add("scopes, which may overlap");
    const OTF2_RegionRef region = call ? definitions_.region(record.what.function) : definitions_.region(record);
    check(OTF2_EvtWriter_Enter(writer_, attributes_of(record), time_, region));
    if (!call) return;
    if (!moves_nothing(record.what)) begin_call(record, words);
    count_unsaid(record);
}

void Otf2RankEvents::leave(const Record& record, Words words) {
    const bool call = record.what.kind == Kind::call;
    if (!call && is_scope(record)) return;
    if (call && !moves_nothing(record.what) && !record.what.has(flag::unfinished)) end_call(record, words);
    const OTF2_RegionRef region = call ? definitions_.region(record.what.function) : definitions_.region(record);
    check(OTF2_EvtWriter_Leave(writer_, nullptr, time_, region));
}

void Otf2RankEvents::count_unsaid(const Record& record) {
    const Shape shape = shape_of(record.what.function);
    if (record.what.has(flag::repeated)) return;
    if (is_partitioned(record.what.function)) definitions_.not_said().add("partitioned messages");
    if (is_probe(shape)) definitions_.not_said().add("probes without what they found");
    if (shape >= Shape::put && shape <= Shape::update)
        definitions_.not_said().add("one-sided operations without their bytes");
    if (record.what.bytes > 0 && (shape == Shape::file_read || shape == Shape::file_write))
        definitions_.not_said().add("file operations without their bytes");
}

void Otf2RankEvents::begin_call(const Record& record, Words words) {
    const Signature& what = record.what;
    const Shape shape = shape_of(what.function);
    if (is_collective_there(what)) return begin_collective(record, words);
    if (what.has(flag::starts)) return start(record, words);
    if (is_send(shape)) send({definitions_.comm(what.comm), what.peer, what.tag, what.bytes}, {});
    each_start(record, words, [&](const Started& started) { start_persistent(started); });
}

void Otf2RankEvents::start(const Record& record, Words words) {
    const Signature& what = record.what;
    const Shape shape = shape_of(what.function);
    const OTF2_CommRef comm = definitions_.comm(what.comm);
    if (is_send(shape)) {
        send({comm, what.peer, what.tag, what.bytes}, record.request);
        if (shape == Shape::sendrecv) {
            OpenRequest& open = open_[record.request];
            open.also_receives = true;
            open.comm = comm;
            check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time_, record.request | receiving_half));
        }
        return;
    }
    if (shape == Shape::receive) return post(comm, what.peer, record.request);
    if (shape == Shape::match || shape == Shape::match_try) {
        open_[record.request] = {.what = What::message, .comm = comm};
        return;
    }
    if (shape == Shape::matched_receive) {
        const auto message = words.empty() ? open_.end() : open_.find(static_cast<std::uint64_t>(words[0]));
        const OTF2_CommRef of_message = message != open_.end() ? message->second.comm : comm;
        if (message != open_.end()) open_.erase(message);
        return post(of_message, what.peer, record.request);
    }
    open_[record.request] = {.what = What::nothing};
}

void Otf2RankEvents::start_persistent(const Started& started) {
    const Shape shape = shape_of(started.function);
    const OTF2_CommRef comm = definitions_.comm(started.comm);
    if (is_partitioned(started.function)) {
        definitions_.not_said().add("partitioned messages");
        open_[started.request] = {.what = What::nothing};
    } else if (is_send(shape)) {
        send({comm, started.peer, started.tag, started.bytes}, started.request);
    } else if (shape == Shape::receive) {
        post(comm, started.peer, started.request);
    } else if (pattern_of(shape) != Pattern::none) {
        Record as_if;
        as_if.request = started.request;
        as_if.what = {.bytes = started.bytes,
                      .comm = started.comm,
                      .peer = started.peer,
                      .function = started.function,
                      .flags = flag::starts};
        begin_collective(as_if, {});
    } else {
        open_[started.request] = {.what = What::nothing};
    }
}

void Otf2RankEvents::send(const Envelope& to, std::optional<std::uint64_t> request) {
    const bool said = to.peer >= 0 && to.comm != otf2_no_comm;
    if (request) open_[*request] = {.what = said ? What::send : What::nothing};
    if (to.peer >= 0 && !said) definitions_.not_said().add("messages on communicators that it cannot have");
    if (!said) return;
    const auto receiver = static_cast<std::uint32_t>(to.peer);
    const auto tag = static_cast<std::uint32_t>(to.tag);
    if (request)
        check(OTF2_EvtWriter_MpiIsend(writer_, nullptr, time_, receiver, to.comm, tag, to.bytes, *request));
    else
        check(OTF2_EvtWriter_MpiSend(writer_, nullptr, time_, receiver, to.comm, tag, to.bytes));
}

void Otf2RankEvents::post(OTF2_CommRef comm, std::int32_t from, std::uint64_t request) {
    const bool said = from != peer::proc_null && comm != otf2_no_comm;
    open_[request] = {.what = said ? What::receive : What::nothing, .comm = comm};
    if (said) check(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, time_, request));
}

void Otf2RankEvents::receive(const Envelope& from) {
    if (from.peer < 0) return;
    if (from.comm == otf2_no_comm) return definitions_.not_said().add("messages on communicators that it cannot have");
    check(OTF2_EvtWriter_MpiRecv(writer_, nullptr, time_, static_cast<std::uint32_t>(from.peer), from.comm,
                                 static_cast<std::uint32_t>(from.tag), from.bytes));
}

Otf2RankEvents::OpenRequest Otf2RankEvents::collective_of(const Record& record, Words words) const {
    const auto operation = otf2_operation_of(record.what.function);
    const OTF2_CommRef comm = definitions_.comm(record.what.comm);
    if (!operation || comm == otf2_no_comm) return {.what = What::nothing};
    const Moved moved = bytes_moved(record, words, [&](std::uint32_t number) { return file_.comm(number); });
    return {.what = What::collective,
            .comm = comm,
            .operation = *operation,
            .root = root_of(record.what),
            .sent = moved.sent,
            .received = moved.received};
}

void Otf2RankEvents::begin_collective(const Record& record, Words words) {
    const OpenRequest request = collective_of(record, words);
    if (request.what == What::nothing)
        definitions_.not_said().add(otf2_operation_of(record.what.function)
                                        ? "collectives on communicators that it cannot have"
                                        : "neighborhood collectives, as calls only");
    if (record.what.has(flag::starts)) open_[record.request] = request;
    if (request.what == What::nothing) return;
    if (record.what.has(flag::starts))
        check(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, time_, record.request));
    else
        check(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, time_));
}

void Otf2RankEvents::end_collective(const Record& record, Words words) {
    const OpenRequest request = collective_of(record, words);
    if (request.what == What::nothing || record.what.has(flag::starts)) return;
    check(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, time_, request.operation, request.comm, request.root,
                                          request.sent, request.received));
}

void Otf2RankEvents::end_call(const Record& record, Words words) {
    const Signature& what = record.what;
    const Shape shape = shape_of(what.function);
    const OTF2_CommRef comm = definitions_.comm(what.comm);
    if (is_collective_there(what)) return end_collective(record, words);
    if (shape == Shape::cancel && !words.empty()) {
        const auto open = open_.find(static_cast<std::uint64_t>(words[0]));
        if (open != open_.end()) open->second.cancelled = true;
    }
    if (completes_requests(shape))
        return each_completion(record, words, [&](const Completion& done) { complete(done, what.comm); });
    if (what.has(flag::starts)) return;
    if (shape == Shape::sendrecv)
        if (const auto half = received_half(words)) receive({comm, half->source, half->tag, half->bytes});
    if (shape == Shape::receive) receive({comm, what.peer, what.tag, what.bytes});
    if (shape != Shape::matched_receive) return;
    const auto message = open_.find(record.request);
    const bool known = what.has(flag::completes) && message != open_.end();
    receive({known ? message->second.comm : comm, what.peer, what.tag, what.bytes});
    if (known) open_.erase(message);
}

void Otf2RankEvents::complete(const Completion& done, std::uint32_t comm) {
    const auto found = open_.find(done.request);
    if (found == open_.end()) {
        const OTF2_CommRef ref = definitions_.comm(comm);
        definitions_.not_said().add("completions of requests whose beginning is not in the trace");
        if (done.received && done.source >= 0 && ref != otf2_no_comm) receive({ref, done.source, done.tag, done.bytes});
        return;
    }
    const OpenRequest open = found->second;
    open_.erase(found);
    if (open.also_receives || open.what == What::receive) complete_receive(open, done, open.comm);
    if (open.what != What::receive) complete_other(open, done.request);
}

void Otf2RankEvents::complete_receive(const OpenRequest& open, const Completion& done, OTF2_CommRef comm) {
    const std::uint64_t request = open.also_receives ? done.request | receiving_half : done.request;
    if (!done.received || done.source < 0) {
        check(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, time_, request));
        return;
    }
    check(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, time_, static_cast<std::uint32_t>(done.source), comm,
                                  static_cast<std::uint32_t>(done.tag), done.bytes, request));
}

void Otf2RankEvents::complete_other(const OpenRequest& open, std::uint64_t request) {
    if (open.what == What::send)
        check(open.cancelled ? OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, time_, request)
                             : OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, time_, request));
    if (open.what == What::collective)
        check(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, time_, open.operation, open.comm,
                                                           open.root, open.sent, open.received, request));
}

void Otf2RankEvents::instant(const Record& record, Words words) {
    switch (record.what.kind) {
    case Kind::counter: {
        const Otf2Definitions::Metric* metric = definitions_.metric(record.what.type);
        if (metric == nullptr) return definitions_.not_said().add("values of counters that are not defined");
        OTF2_MetricValue value{};
        value.unsigned_int = record.what.bytes;
        check(OTF2_EvtWriter_Metric(writer_, nullptr, time_, metric->ref, 1, &metric->type, &value));
        return;
    }
    case Kind::stretch:
        return stretch(record, words);
    case Kind::loss:
        return definitions_.not_said().add("calls that were not recorded", record.what.bytes);
    case Kind::nccl:
        if (is_operation(NcclTag::of(record.what.tag).kind))
            definitions_.not_said().add("operations of NCCL whose times are not known");
        return;
    case Kind::stall:
        return definitions_.not_said().add("waits for the tracer");
    case Kind::comment:
        return markers_.comment(time_, otf2_location(file_.header().rank, lane_), text_in(words, record.what.bytes));
    default:
        return;
    }
}

// Metrics of a location have to be written in order of time. What the system says of the time without a core holds for
// all stretches since it was last asked, so that needs no value at each of them.
void Otf2RankEvents::stretch(const Record& record, Words words) {
    const auto known = Stretch::from(record, words);
    if (!known) return;
    const CoreTime time = core_time(*known, file_.seconds(known->length));
    value(ThreadCounter::on_core, 100 * time.ran_s / time.total_s(), 2);
    value(ThreadCounter::page_faults, time.page_faults / time.total_s(), 1);
    of_lane_->untold += time;
    if (known->waited_ns < 0) return;
    std::array all{std::exchange(of_lane_->untold, {})};
    tell_waited(all, std::identity{}, 1e-9 * static_cast<double>(known->waited_ns));
    value(ThreadCounter::without_core, 100 * all[0].waited_s / all[0].total_s(), 0);
}

// Where there is room, values have different times, `before` ticks of the archive before the step: then an import keeps
// them as they are.
void Otf2RankEvents::value(ThreadCounter counter, double value, std::uint64_t before) {
    constexpr std::uint64_t most_before = 2;
    const std::uint64_t time = of_lane_->last + most_before < time_ ? time_ - before : time_;
    const Otf2Definitions::Metric metric = definitions_.metric(counter);
    OTF2_MetricValue put{};
    put.floating_point = value;
    check(OTF2_EvtWriter_Metric(writer_, nullptr, time, metric.ref, 1, &metric.type, &put));
}

void Otf2RankEvents::close() {
    if (lanes_.empty()) lanes_[0].writer = OTF2_Archive_GetEvtWriter(archive_, otf2_location(file_.header().rank, 0));
    for (auto& [lane, of_lane] : lanes_) {
        std::uint64_t events = 0;
        if (of_lane.writer == nullptr) continue;
        errors_.check(OTF2_EvtWriter_GetNumberOfEvents(of_lane.writer, &events));
        definitions_.add_location(file_.header().rank, lane, events);
        errors_.check(OTF2_Archive_CloseEvtWriter(archive_, of_lane.writer));
    }
}

} // namespace tactus
