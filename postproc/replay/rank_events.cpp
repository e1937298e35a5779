#include "postproc/replay/rank_events.hpp"

#include "postproc/replay/channels.hpp"
#include "postproc/replay/collective_events.hpp"
#include "postproc/replay/epochs.hpp"
#include "postproc/replay/match_events.hpp"
#include "postproc/replay/order_events.hpp"
#include "postproc/replay/partitioned.hpp"
#include "postproc/replay/posts.hpp"
#include "trace/completeness.hpp"
#include "trace/lane_walk.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>

namespace tactus {
namespace {

class RankReading {
  public:
    RankReading(const RankFile& file, const ReadingLimits& limits)
        : file_{file}, limits_{limits}, lanes_{lanes_of(file)} {
        out_.rank = file.header().rank;
        out_.events = PagedList<Event>{limits.paging};
        out_.origins = PagedList<EventOrigin>{limits.paging};
        own_.rank = out_.rank;
        own_.events = PagedList<Event>{limits.paging};
        own_.origins = PagedList<EventOrigin>{limits.paging};
    }

    RankEvents read() {
        for (const LaneBlocks blocks : lanes_) {
            LaneWalk walk{file_, blocks};
            lane_ = walk.lane();
            out_.lanes.push_back(lane_);
            epochs_.begin_lane();
            while (!out_.too_many && walk.next()) {
                at(walk.record(), walk.words());
                const std::size_t events = out_.events.size() + own_.events.size();
                out_.too_many = out_.too_many || events > limits_.most || is_to_stop();
            }
            for (const Error& error : walk.unreadable()) keep_error(out_.unreadable, error);
            for (std::size_t i = 0; i < blocks.size(); ++i)
                if (blocks[i].sequence != i) out_.complete = false;
        }
        if (out_.too_many) return std::move(out_);
        add_partitioned();
        posts_.finish([this](const Post& post, const ReceiveEnd& end) { receive(post, end); });
        collectives_.finish();
        if (!order_events(out_, collectives_.calls(), limits_.paging)) sink_.has_no_room();
        out_.left_posts = posts_.left();
        out_.cut = was_cut();
        if (!out_.unreadable.empty() || !says_it_is_complete(file_)) out_.complete = false;
        if (!own_.events.empty()) match_own();
        return std::move(out_);
    }

  private:
    void at(const Record& record, Words words) {
        const Signature& what = record.what;
        ++out_.records;
        if (what.kind != Kind::call) return at_note(record, words);
        out_.calls += calls_of(record);
        if (what.has(flag::repeated)) return;
        const Shape shape = shape_of(what.function);
        if (record.leave != named_leave_) names_.clear();
        // The words of such a record say which requests were started, and an unfinished call has not written them.
        if (what.has(flag::unfinished) && starts_persistent(shape)) out_.complete = false;
        if (is_send(shape) || starts_persistent(shape))
            each_sent(record, words, [&](const SentMessage& message) {
                if (!is_partitioned(message.function)) send(record, message);
            });
        if (what.has(flag::failed)) return;
        if (!limits_.only_messages) at_other(record, words);
        // A call that was cut off has sent its message and entered its collective, but it has received nothing.
        if (what.has(flag::unfinished)) return;
        if (completes_requests(shape)) return at_wait(record, words);
        if (mode_of(what.function) == Mode::starting)
            at_starting(record, words);
        else if (mode_of(what.function) == Mode::blocking)
            at_blocking(record, words);
    }

    void at_note(const Record& record, Words words) {
        const Signature& what = record.what;
        if (what.kind == Kind::message_ids) {
            names_.assign(words.begin(), words.end());
            named_leave_ = record.leave;
        }
        if (what.kind == Kind::loss && what.type == static_cast<std::uint32_t>(Loss::switched_off))
            for (const NotRecorded& channel : not_recorded_of(words)) keep_out(channel);
    }

    // Takes collectives, windows, and calls that prepare or send partitioned messages.
    void at_other(const Record& record, Words words) {
        const Signature& what = record.what;
        collectives_.at(record, words);
        if (is_of_epochs(what.function)) at_window(record, words);
        if (is_partitioned(what.function)) partitioned_.prepare(record, lane_);
        if (makes_ready(shape_of(what.function)) && !words.empty())
            partitioned_.ready(static_cast<std::uint64_t>(words[0]), record.enter);
    }

    void keep_out(const NotRecorded& channel) {
        const Comm* const comm = file_.comm(channel.comm);
        if (comm == nullptr) return;
        const bool message = channel.direction == Direction::sent || channel.direction == Direction::received;
        const std::int64_t world = message ? comm->world_rank(channel.peer) : 0;
        if (world >= 0) out_.kept_out.insert({static_cast<std::uint32_t>(world), comm->identity, channel.direction});
    }

    [[nodiscard]] bool is_to_stop() const {
        constexpr std::uint64_t now_and_then = 65536; // records
        return out_.records % now_and_then == 0 && limits_.stop && limits_.stop();
    }

    // --- what is sent and received

    void send(const Record& record, const SentMessage& message) {
        send({message.comm, message.peer, message.tag, true}, record.enter,
             message.request != 0 ? message.request : name(0), {.bytes = message.bytes, .lane = lane_});
    }

    void send(const ChannelKey& to, Ticks at, std::uint64_t number, const EventOrigin& origin) {
        add_message(to, {.tick = at, .number = number}, Role::send, origin.lane, origin);
    }

    void receive(const Post& post, const ReceiveEnd& end, Role role = Role::receive) {
        receive({post.comm, end.source, end.tag, false}, post, end, role);
    }

    void receive(const ChannelKey& from, const Post& post, const ReceiveEnd& end, Role role) {
        const Event event{.tick = end.leave, .stamp = static_cast<GlobalTime>(post.at), .number = end.number};
        add_message(from, event, role, post.lane, end.origin);
    }

    // `lane` is the lane that sent the message or posted its receive. A message to or from outside MPI_COMM_WORLD is
    // only counted. Messages of the rank to itself go to own_, unless all messages were asked for (`only_messages`).
    void add_message(const ChannelKey& key, const Event& event, Role role, std::uint32_t lane,
                     const EventOrigin& origin) {
        const std::uint32_t channel = channels_.find(key);
        if (channel == Channels::none) {
            if (role != Role::probe) ++because(out_.unmatched, Unmatched::outside);
            return;
        }
        const bool own = out_.channels[channel].peer == out_.rank && !limits_.only_messages;
        RankEvents& to = own ? own_ : out_;
        const std::uint32_t index = own ? own_channels_.find(key) : channel;
        note_lane(to.channels[index], lane);
        if (own) {
            if (!own_sink_.add(event, role, index, origin)) own_has_no_room();
        } else if (limits_.only_messages) {
            sink_.add(event, role, index, origin);
        } else {
            sink_.add(event, role, index);
        }
    }

    // Matches the messages of the rank to itself as if the trace had no other rank.
    void match_own() {
        own_.complete = out_.complete;
        own_.cut = out_.cut;
        own_.left_posts = out_.left_posts;
        own_.kept_out = out_.kept_out;
        if (!order_events(own_, 0, limits_.paging)) {
            own_sink_.has_no_room();
            return own_has_no_room();
        }
        out_.own.push_back(std::move(own_));
        LonelyWire wire;
        const MatchedEvents matched = match_events(out_.own, wire);
        out_.own_messages = matched.messages;
        out_.own_signals = matched.signals;
        for (std::size_t i = 0; i < unmatched_count; ++i) {
            out_.unmatched[i] += matched.unmatched[i];
            out_.unmatched_others[i] += matched.unmatched_others[i];
        }
    }

    void own_has_no_room() {
        out_.too_many = true;
        for (const Error& error : own_.unreadable) keep_error(out_.unreadable, error);
    }

    static void note_lane(Channel& channel, std::uint32_t lane) {
        if (channel.count++ == 0) channel.lane = lane;
        channel.threads = channel.threads || channel.lane != lane;
    }

    void posted(std::uint64_t request, const Post& post) {
        posts_.posted(request, post, [this](const Post& at, const ReceiveEnd& end) { receive(at, end); });
    }
    void completed(std::uint64_t request, const ReceiveEnd& end) {
        posts_.completed(request, end, [this](const Post& post, const ReceiveEnd& at) { receive(post, at); });
    }

    void at_wait(const Record& record, Words words) {
        std::size_t received = 0;
        each_completion(record, words, [&](const Completion& done) {
            if (collectives_.ends(done.request, record.leave)) return;
            if (done.received)
                completed(done.request, end(record, done.source, done.tag, done.bytes, ++received));
            else if (!limits_.only_messages)
                collectives_.ended(done.request, record.leave);
        });
    }

    void at_starting(const Record& record, Words words) {
        const Signature& what = record.what;
        const Shape shape = shape_of(what.function);
        if (!what.has(flag::starts)) return;
        if (shape == Shape::receive || shape == Shape::sendrecv) posted(record.request, post(record, what.comm, 0));
        // Without the number of the message, its probe was not recorded, and it is not known when it was posted.
        if (shape != Shape::matched_receive || words.empty()) return;
        posts_.becomes(static_cast<std::uint64_t>(words[0]), record.request,
                       [this](const Post& post, const ReceiveEnd& end) { receive(post, end); });
    }

    void at_blocking(const Record& record, Words words) {
        const Signature& what = record.what;
        switch (shape_of(what.function)) {
        case Shape::receive:
            if (what.peer >= 0) receive(post(record, what.comm, 0), end(record, what.peer, what.tag, what.bytes, 1));
            return;
        case Shape::sendrecv:
            if (const auto half = received_half(words); half && half->source >= 0)
                receive(post(record, what.comm, 0), end(record, half->source, half->tag, half->bytes, 1));
            return;
        case Shape::probe:
        case Shape::probe_try: // with several threads it is not known which of them received the message
            if (what.peer >= 0 && lanes_.size() == 1)
                receive(post(record, what.comm, 0), end(record, what.peer, what.tag, what.bytes, 0), Role::probe);
            return;
        case Shape::match:
        case Shape::match_try: // takes the message, which therefore came when this ended
            if (!what.has(flag::starts)) return;
            if (what.peer >= 0)
                receive(post(record, what.comm, 0), end(record, what.peer, what.tag, what.bytes, 0), Role::probe);
            posted(record.request, post(record, what.comm, 1));
            return;
        case Shape::matched_receive:
            if (what.has(flag::completes)) completed(record.request, end(record, what.peer, what.tag, what.bytes, 1));
            return;
        default: {
            if (!starts_persistent(shape_of(what.function))) return;
            Ticks which = 0;
            each_start(record, words, [&](const Started& started) {
                if (is_partitioned(started.function))
                    start_partitioned(started, record);
                else if (shape_of(started.function) == Shape::receive)
                    posted(started.request, post(record, started.comm, which));
                if (pattern_of(shape_of(started.function)) != Pattern::none) start_collective(started, record);
                ++which;
            });
        }
        }
    }

    // Several posts of one call have ticks one after the other. `which` counts them from 0.
    [[nodiscard]] Post post(const Record& record, std::uint32_t comm, Ticks which) const {
        return {comm, lane_, std::min(record.enter + which, record.leave)};
    }
    // `which` is the index of the message's number in names_; 0: the message has none.
    [[nodiscard]] ReceiveEnd end(const Record& record, std::int32_t source, std::int32_t tag, std::uint64_t bytes,
                                 std::size_t which) const {
        return {source, tag, record.leave, which == 0 ? 0 : name(which), {.bytes = bytes, .lane = lane_}};
    }
    // The number of a message by its index in the words of a Kind::message_ids record; 0: not known.
    [[nodiscard]] std::uint64_t name(std::size_t which) const {
        return which < names_.size() ? static_cast<std::uint64_t>(names_[which]) : 0;
    }

    void start_partitioned(const Started& started, const Record& record) {
        if (!limits_.only_messages) partitioned_.start(started, lane_, record.enter);
    }

    void add_partitioned() {
        partitioned_.each([&](const Partitioned::Start& start) {
            if (start.envelope.outgoing) {
                if (start.ready) send(start.envelope, std::max(start.enter, *start.ready), 0, {.lane = start.lane});
            } else if (const ReceiveEnd* const end = posts_.end_of(start.request)) {
                receive(start.envelope, {start.envelope.comm, start.lane, start.enter}, *end, Role::receive);
            }
        });
    }

    // --- collectives and windows

    void at_window(const Record& record, Words words) {
        const Signature& what = record.what;
        const Epochs::Step step = epochs_.step(what, words);
        if (what.function == Function::Win_fence) collectives_.at_fence(record, step.window, step.waits);
        for (const std::uint32_t rank : step.ranks) {
            if (out_.too_many) return;
            ChannelKey envelope{.comm = what.comm,
                                .peer = static_cast<std::int32_t>(rank),
                                .tag = tag_of_windows,
                                .series = step.window};
            envelope.outgoing = what.function == Function::Win_complete;
            if (envelope.outgoing)
                send(envelope, record.enter, 0, {.lane = lane_});
            else if (!what.has(flag::unfinished))
                receive(envelope, post(record, what.comm, 0), end(record, 0, 0, 0, 0), Role::receive);
        }
    }

    void start_collective(const Started& started, const Record& record) {
        if (!limits_.only_messages) collectives_.at_start(record, started);
    }

    [[nodiscard]] bool was_cut() const {
        const std::vector<Totals>& totals = file_.definitions().totals;
        return totals.empty() || totals.front().ending != Ending::finalize;
    }

    const RankFile& file_;
    const ReadingLimits& limits_;
    std::vector<LaneBlocks> lanes_;
    RankEvents out_;
    RankEvents own_; // messages of the rank to itself, unless limits_.only_messages
    Channels channels_{file_, out_.channels};
    Channels own_channels_{file_, own_.channels};
    EventSink sink_{file_, out_};
    EventSink own_sink_{file_, own_};
    CollectiveEvents collectives_{file_, out_, lanes_.size() > 1};
    Epochs epochs_{file_};
    Partitioned partitioned_;
    Posts posts_;
    std::uint32_t lane_ = 0;
    std::vector<std::int64_t> names_; // numbers of the messages of the call that left at named_leave_
    Ticks named_leave_ = 0;
};

} // namespace

bool RankEvents::keeps_out(const Channel& channel) const {
    if (channel.tag == tag_of_windows) return kept_out.contains({0, channel.comm, Direction::window});
    return kept_out.contains({channel.peer, channel.comm, channel.outgoing ? Direction::sent : Direction::received});
}

bool RankEvents::keeps_out(const CollectiveGroup& group) const {
    const bool of_window = group.window != 0;
    return kept_out.contains({0, group.identity, of_window ? Direction::window : Direction::collective});
}

void RankEvents::erase_unmatched() {
    bool any = false;
    for (const Event& event : events) any = any || event.role() == Role::none;
    if (!any) return;
    if (!origins.empty()) {
        std::size_t i = 0;
        origins.erase_if([&](const EventOrigin&) { return events[i++].role() == Role::none; });
    }
    events.erase_if([](const Event& event) { return event.role() == Role::none; });
}

RankEvents events_of(const RankFile& file, const ReadingLimits& limits) { return RankReading{file, limits}.read(); }

} // namespace tactus
