// The MPI calls of an OTF2 archive: what the archive says between enter and leave becomes one record.
#include "postproc/export/collective_block.hpp"
#include "postproc/export/otf2_lane.hpp"
#include "trace/shapes.hpp"

#include <algorithm>

namespace tactus {
namespace {

std::int32_t root_from(std::int32_t root) {
    if (static_cast<std::uint32_t>(root) == OTF2_COLLECTIVE_ROOT_SELF) return peer::root;
    return root < 0 ? peer::none : root;
}

bool takes_sent(Shape shape) { return is_send(shape) || starts_persistent(shape); }
bool takes_received(Shape shape) {
    return shape == Shape::receive || shape == Shape::matched_receive || shape == Shape::sendrecv;
}
bool takes_begun(Shape shape) {
    return takes_received(shape) || starts_persistent(shape) || pattern_of(shape) != Pattern::none;
}

} // namespace

void Otf2Lane::end_call(const Frame& frame, Function function, Ticks leave, bool nested) {
    Record record;
    record.enter = frame.enter;
    record.leave = leave;
    record.what.function = function;
    if (nested) record.what.flags |= flag::nested;
    if (frame.failed) record.what.flags |= flag::failed;
    if (frame.unfinished) record.what.flags |= flag::unfinished;
    words_.clear();
    const bool repeated = frame.calls > 0 || (frame.tested && frame.done.empty());
    if (repeated) {
        record.what.flags |= flag::repeated;
        record.request = std::max<std::uint64_t>(frame.calls, 1);
        record.what.bytes = frame.calls > 0 ? frame.inside : leave - frame.enter;
    } else {
        fill(frame, record);
    }
    rank_.records.add(record, words_);
}

void Otf2Lane::fill(const Frame& frame, Record& record) {
    const Shape shape = shape_of(record.what.function);
    if (starts_persistent(shape)) return fill_starts(frame);
    if (completes_requests(shape)) return fill_completions(frame, record);
    const bool is_of_members =
        pattern_of(shape) != Pattern::none || shape == Shape::comm_make || shape == Shape::comm_free;
    if (!frame.collectives.empty() && is_of_members) return fill_collective(frame.collectives.back(), record);
    if (is_send(shape) && !frame.sent.empty()) {
        const Sent& sent = frame.sent.front();
        record.what.comm = comm_number(sent.comm);
        record.what.peer = sent.peer;
        record.what.tag = sent.tag;
        record.what.bytes = sent.bytes;
        if (sent.starts) {
            record.what.flags |= flag::starts;
            record.request = sent.request;
        }
    }
    if (takes_received(shape) && !frame.received.empty()) {
        const Sent& message = frame.received.front();
        if (record.what.comm == 0) record.what.comm = comm_number(message.comm);
        if (shape == Shape::sendrecv) {
            words_ = {static_cast<std::int64_t>(message.bytes), envelope_word(message.peer, message.tag)};
        } else {
            record.what.peer = message.peer;
            record.what.tag = message.tag;
            record.what.bytes = message.bytes;
        }
    }
    if (takes_begun(shape) && !frame.begun.empty()) fill_begun(frame.begun.front(), record);
    // It exchanged no message on a known communicator.
    if (record.what.comm == 0 && shape == Shape::sendrecv) words_.clear();
}

void Otf2Lane::fill_begun(const Begun& begun, Record& record) {
    const bool sends_as_well = record.what.has(flag::starts);
    record.what.flags |= flag::starts;
    record.request = begun.number;
    if (sends_as_well) return;
    if (begun.collective) {
        if (begun.start.comm != OTF2_UNDEFINED_COMM) fill_collective(begun.start, record);
        return;
    }
    if (begun.start.comm == OTF2_UNDEFINED_COMM) {
        record.what.comm = 1;
        record.what.peer = peer::any;
        record.what.flags |= flag::any_source | flag::any_tag;
        return;
    }
    record.what.comm = comm_number(begun.start.comm);
    record.what.peer = begun.start.peer;
    record.what.tag = begun.start.tag;
}

void Otf2Lane::fill_starts(const Frame& frame) {
    const auto add = [&](const Started& started) {
        words_.resize(words_.size() + Started::words);
        started.put(words_.data() + words_.size() - Started::words);
    };
    for (const Sent& sent : frame.sent)
        add({.request = sent.starts ? sent.request : 0,
             .bytes = sent.bytes,
             .peer = sent.peer,
             .tag = sent.tag,
             .comm = comm_number(sent.comm),
             .function = Function::Send_init});
    for (const Begun& begun : frame.begun) {
        if (begun.collective) continue;
        const bool ends = begun.start.comm != OTF2_UNDEFINED_COMM;
        add({.request = begun.number,
             .peer = ends ? begun.start.peer : peer::any,
             .tag = begun.start.tag,
             .comm = ends ? comm_number(begun.start.comm) : 1,
             .function = Function::Recv_init,
             .flags = static_cast<std::uint8_t>(ends ? 0 : flag::any_source | flag::any_tag)});
    }
}

void Otf2Lane::fill_collective(const Otf2Start& what, Record& record) {
    const Comm* comm = rank_.comms.find(what.comm);
    if (comm == nullptr) return rank_.not_said.add("events on communicators that their rank is no member of");
    record.what.comm = comm->number;
    if (pattern_of(shape_of(record.what.function)) == Pattern::none) return;
    record.what.peer = root_from(what.peer);
    CollectiveBlock block = collective_block(record.what.function, *comm, record.what.peer, what.sent, what.received);
    record.what.bytes = block.bytes;
    words_ = std::move(block.words);
}

void Otf2Lane::fill_completions(const Frame& frame, Record& record) {
    if (frame.done.size() == 1) {
        const Completion& done = frame.done.front();
        record.what.flags |= flag::completes;
        record.request = done.request;
        if (!done.received) return;
        record.what.comm = frame.done_comm;
        record.what.peer = done.source;
        record.what.tag = done.tag;
        record.what.bytes = done.bytes;
        return;
    }
    for (const Completion& done : frame.done) {
        std::int64_t some[Completion::most_words];
        words_.insert(words_.end(), some, some + done.put(some));
    }
}

// Events that the call's own record has no place for become calls inside of it.
void Otf2Lane::put_rest(const Frame& frame, Shape shape, std::uint64_t time) {
    const auto put = [&](Function function, auto&& fill_in) {
        fill_in(alone());
        alone_.enter = stamp(time);
        end_call(alone_, function, stamp(time), true);
        rank_.not_said.add("MPI events inside a call that does nothing of the kind, which became one");
    };
    const bool several = starts_persistent(shape);
    for (std::size_t i = takes_sent(shape) ? (several ? frame.sent.size() : 1) : 0; i < frame.sent.size(); ++i)
        put(frame.sent[i].starts ? Function::Isend : Function::Send,
            [&](Frame& inner) { inner.sent.push_back(frame.sent[i]); });
    for (std::size_t i = takes_received(shape) ? 1 : 0; i < frame.received.size(); ++i)
        put(Function::Recv, [&](Frame& inner) { inner.received.push_back(frame.received[i]); });
    for (std::size_t i = takes_begun(shape) ? (several ? frame.begun.size() : 1) : 0; i < frame.begun.size(); ++i)
        if (frame.begun[i].collective)
            rank_.not_said.add("collectives that a call of another kind began");
        else
            put(Function::Irecv, [&](Frame& inner) { inner.begun.push_back(frame.begun[i]); });
    if (!completes_requests(shape) && !frame.done.empty())
        put(Function::Waitall, [&](Frame& inner) {
            inner.done = frame.done;
            inner.done_comm = frame.done_comm;
        });
}

} // namespace tactus
