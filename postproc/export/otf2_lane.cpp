#include "postproc/export/otf2_lane.hpp"

#include "postproc/export/otf2_definitions.hpp"
#include "trace/shapes.hpp"

#include <algorithm>

namespace tactus {
namespace {

constexpr std::size_t deepest = 65'536;

} // namespace

void Otf2Lane::Frame::clear() {
    calls = inside = 0;
    failed = unfinished = tested = false;
    done_comm = 0;
    sent.clear();
    received.clear();
    begun.clear();
    done.clear();
    collectives.clear();
}

Ticks Otf2Lane::stamp(std::uint64_t time) {
    const Ticks tick = rank_.stamps.tick_of(time);
    last_ = std::max(tick, last_ + 1);
    last_time_ = std::max(last_time_, time);
    if (last_ - tick >= rank_.stamps.ticks_per_stamp()) ++rank_.moved;
    rank_.first = std::min(rank_.first, last_);
    rank_.last = std::max(rank_.last, last_);
    return last_;
}

Otf2Lane::Frame* Otf2Lane::call() {
    for (std::size_t i = depth_; i-- > 0;)
        if (frames_[i].region->function) return &frames_[i];
    return nullptr;
}

// A region that the archive does not define has no name.
const Otf2Run::Region* Otf2Lane::region_of(std::uint64_t ref) const {
    static const Otf2Run::Region unknown{.function = {}};
    const Otf2Run::Region* region = rank_.run.region(ref);
    return region != nullptr ? region : &unknown;
}

void Otf2Lane::enter(std::uint64_t time, std::uint64_t ref, const OTF2_AttributeList* attributes) {
    put_comments(time);
    const Otf2Run::Region* region = region_of(ref);
    if (depth_ == deepest) {
        ++too_deep_;
        return rank_.not_said.add("regions nested deeper than 65,536");
    }
    if (depth_ == frames_.size()) frames_.emplace_back();
    Frame& frame = frames_[depth_++];
    frame.clear();
    frame.region = region;
    frame.enter = stamp(time);
    if (!rank_.archive.by_tactus() || OTF2_AttributeList_GetNumberOfElements(attributes) == 0) return;
    std::uint64_t value = 0;
    const auto has = [&](Otf2Attribute which) {
        const auto ref_of = static_cast<OTF2_AttributeRef>(which);
        return OTF2_AttributeList_TestAttributeByID(attributes, ref_of) &&
               OTF2_AttributeList_GetUint64(attributes, ref_of, &value) == OTF2_SUCCESS;
    };
    if (has(Otf2Attribute::calls)) frame.calls = value;
    if (has(Otf2Attribute::inside)) frame.inside = value;
    frame.failed = has(Otf2Attribute::failed);
    frame.unfinished = has(Otf2Attribute::unfinished);
}

void Otf2Lane::enter_context(std::uint64_t time, std::uint64_t context, const OTF2_AttributeList* attributes) {
    const auto& contexts = rank_.archive.content().contexts;
    const auto found = contexts.find(context);
    enter(time, found != contexts.end() ? found->second : OTF2_UNDEFINED_REGION, attributes);
}

void Otf2Lane::leave_context(std::uint64_t time, std::uint64_t context) {
    const auto& contexts = rank_.archive.content().contexts;
    const auto found = contexts.find(context);
    leave(time, found != contexts.end() ? found->second : OTF2_UNDEFINED_REGION);
}

void Otf2Lane::leave(std::uint64_t time, std::uint64_t ref) {
    put_comments(time);
    if (too_deep_ > 0) {
        --too_deep_;
        return;
    }
    const Otf2Run::Region* region = region_of(ref);
    if (depth_ == 0 || frames_[depth_ - 1].region != region) {
        rank_.not_said.add("ends of regions that were not entered");
        return;
    }
    end_frame(time);
}

// Ends the innermost open region.
void Otf2Lane::end_frame(std::uint64_t time) {
    const Frame& frame = frames_[--depth_];
    if (frame.region->function) {
        put_rest(frame, shape_of(*frame.region->function), time);
        return end_call(frame, *frame.region->function, stamp(time), call() != nullptr);
    }
    Record record;
    record.enter = frame.enter;
    record.what.kind = Kind::region;
    record.what.type = frame.region->symbol;
    record.what.tag = static_cast<std::int32_t>(frame.region->begin_scl);
    record.what.bytes = frame.region->end_scl;
    if (frame.unfinished) record.what.flags |= flag::unfinished;
    record.leave = stamp(time);
    rank_.symbols.insert(frame.region->symbol);
    rank_.scls.insert({frame.region->begin_scl, frame.region->end_scl});
    rank_.records.add(record);
}

std::uint32_t Otf2Lane::comm_number(std::uint64_t ref) {
    const auto found = rank_.comms.numbers.find(ref);
    if (found != rank_.comms.numbers.end()) return found->second;
    rank_.not_said.add("events on communicators that their rank is no member of");
    return 0;
}

Otf2Lane::Frame& Otf2Lane::alone() {
    alone_.clear();
    return alone_;
}

void Otf2Lane::end_alone(std::uint64_t time, Function function) {
    alone_.enter = stamp(time);
    end_call(alone_, function, stamp(time), call() != nullptr);
    rank_.not_said.add("MPI events outside of a call, which became one");
}

void Otf2Lane::sent(std::uint64_t time, Sent message) {
    if (message.starts) message.request = rank_.requests.next_begun(lane_.lane, message.request).number;
    Frame* frame = call();
    if (frame != nullptr) return frame->sent.push_back(message);
    alone().sent.push_back(message);
    end_alone(time, message.starts ? Function::Isend : Function::Send);
}

void Otf2Lane::received(std::uint64_t time, const Sent& message) {
    Frame* frame = call();
    if (frame != nullptr) return frame->received.push_back(message);
    alone().received.push_back(message);
    end_alone(time, Function::Recv);
}

void Otf2Lane::begun(std::uint64_t time, std::uint64_t request, bool collective) {
    const auto [start, number] = rank_.requests.next_begun(lane_.lane, request);
    const Begun begun{start, number, collective};
    if (begun.start.comm == OTF2_UNDEFINED_COMM)
        rank_.not_said.add(collective ? "collectives that never end in the archive"
                                      : "receives that never end in the archive");
    Frame* frame = call();
    if (frame != nullptr) return frame->begun.push_back(begun);
    if (collective) return rank_.not_said.add("collectives outside of a call");
    alone().begun.push_back(begun);
    end_alone(time, Function::Irecv);
}

void Otf2Lane::ended(std::uint64_t time, std::uint64_t request, const Sent* message) {
    const auto number = rank_.requests.next_ended(lane_.lane, request);
    if (!number) return rank_.not_said.add("completions of requests whose beginning is not in the archive");
    Completion done{.request = *number};
    std::uint32_t comm = 0;
    if (message != nullptr) {
        comm = comm_number(message->comm);
        done.received = true;
        done.bytes = message->bytes;
        done.source = message->peer;
        done.tag = message->tag;
    }
    Frame* frame = call();
    const bool outside = frame == nullptr;
    if (outside) frame = &alone();
    // Here both halves of an MPI_Isendrecv have the same number.
    const auto same = std::find_if(frame->done.begin(), frame->done.end(),
                                   [&](const Completion& completion) { return completion.request == done.request; });
    if (same != frame->done.end()) {
        if (done.received) *same = done;
    } else {
        frame->done.push_back(done);
    }
    if (message != nullptr) frame->done_comm = comm;
    if (outside) end_alone(time, Function::Wait);
}

void Otf2Lane::tested(std::uint64_t) {
    if (Frame* frame = call()) frame->tested = true;
}

void Otf2Lane::collective(std::uint64_t, const Otf2Start& what) {
    Frame* frame = call();
    if (frame != nullptr)
        frame->collectives.push_back(what);
    else
        rank_.not_said.add("collectives outside of a call");
}

void Otf2Lane::metric(std::uint64_t time, std::uint64_t metric, std::size_t count, const OTF2_Type* types,
                      const OTF2_MetricValue* values) {
    put_comments(time);
    const std::vector<std::uint32_t> counters = rank_.run.counters_of(metric);
    for (std::size_t i = 0; i < count; ++i) {
        if (i >= counters.size() || counters[i] == 0 ||
            (types[i] != OTF2_TYPE_DOUBLE && types[i] != OTF2_TYPE_INT64 && types[i] != OTF2_TYPE_UINT64)) {
            rank_.not_said.add("values of metrics that are no counters");
            continue;
        }
        Record record;
        record.what.kind = Kind::counter;
        record.what.type = counters[i];
        record.what.bytes = values[i].unsigned_int;
        record.enter = record.leave = stamp(time);
        rank_.counters.insert(counters[i]);
        rank_.records.add(record);
    }
}

void Otf2Lane::put_comments(std::uint64_t until) {
    for (; markers_ != nullptr && next_marker_ < markers_->size() && (*markers_)[next_marker_].time < until;
         ++next_marker_) {
        const Otf2Archive::Marker& marker = (*markers_)[next_marker_];
        Record record;
        record.what.kind = Kind::comment;
        record.what.bytes = marker.text.size();
        record.enter = record.leave = stamp(marker.time);
        words_.clear();
        append_text(words_, marker.text);
        rank_.records.add(record, words_);
    }
}

} // namespace tactus
