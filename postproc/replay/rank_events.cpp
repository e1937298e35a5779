#include "postproc/replay/rank_events.hpp"

#include "postproc/replay/channels.hpp"
#include "postproc/replay/collective_groups.hpp"
#include "postproc/replay/epochs.hpp"
#include "postproc/replay/order_events.hpp"
#include "postproc/replay/partitioned.hpp"
#include "trace/completeness.hpp"
#include "trace/lane_walk.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tactus {
namespace {

class RankReading {
  public:
    RankReading(const RankFile& file, const ReadingLimits& limits)
        : file_{file}, limits_{limits}, lanes_{lanes_of(file)} {
        out_.rank = file.header().rank;
        out_.events = PagedList<Event>{limits.paging};
    }

    RankEvents read() {
        for (const LaneBlocks blocks : lanes_) {
            LaneWalk walk{file_, blocks};
            lane_ = walk.lane();
            out_.lanes.push_back(lane_);
            epochs_.begin_lane();
            while (!out_.too_many && walk.next()) {
                at(walk.record(), walk.words());
                out_.too_many = out_.too_many || out_.events.size() > limits_.most || is_to_stop();
            }
            for (const Error& error : walk.unreadable()) keep_error(out_.unreadable, error);
            for (std::size_t i = 0; i < blocks.size(); ++i)
                if (blocks[i].sequence != i) out_.complete = false;
        }
        if (out_.too_many) return std::move(out_);
        add_partitioned();
        finish_posts();
        order_events(out_, calls_);
        out_.left_posts = !posts_.empty();
        out_.cut = was_cut();
        if (!out_.unreadable.empty() || !says_it_is_complete(file_)) out_.complete = false;
        return std::move(out_);
    }

  private:
    struct Post {
        std::uint32_t comm = 0;
        std::uint32_t lane = 0;
        Ticks at = 0;
    };
    // A receive that completed; its post stands in a lane that is read later, or nowhere.
    struct End {
        std::int32_t source = peer::none;
        std::int32_t tag = 0;
        Ticks leave = 0;
        std::uint64_t number = 0;
    };
    // A collective that was begun.
    struct Begun {
        Participation part;
        Ticks enter = 0;
        std::uint64_t call = 0;
    };

    void at(const Record& record, Words words) {
        const Signature& what = record.what;
        ++out_.records;
        out_.calls += calls_of(record);
        if (what.kind == Kind::message_ids) {
            names_.assign(words.begin(), words.end());
            named_leave_ = record.leave;
        }
        if (what.kind == Kind::loss && what.type == static_cast<std::uint32_t>(Loss::switched_off))
            for (const NotRecorded& channel : not_recorded_of(words)) keep_out(channel);
        if (what.kind != Kind::call || what.has(flag::misses)) return;
        const Shape shape = shape_of(what.function);
        if (record.leave != named_leave_) names_.clear();
        // What it started stands in words that it did not come to write.
        if (what.has(flag::unfinished) && starts_persistent(shape)) out_.complete = false;
        if (is_send(shape) || starts_persistent(shape))
            each_sent(record, words, [&](const SentMessage& message) {
                if (!is_partitioned(message.function)) send(record, message);
            });
        if (what.has(flag::failed)) return;
        if (const auto part = groups_.part_of(what, words)) gather(record, *part);
        if (is_of_epochs(what.function)) at_window(record, words);
        if (is_partitioned(what.function)) partitioned_.prepare(record, lane_);
        if (makes_ready(shape) && !words.empty())
            partitioned_.ready(static_cast<std::uint64_t>(words[0]), record.enter);
        // A call that is cut off has sent, and come, but received nothing.
        if (what.has(flag::unfinished)) return;
        if (completes_requests(shape)) return at_wait(record, words);
        if (mode_of(what.function) == Mode::starting)
            at_starting(record, words);
        else if (mode_of(what.function) == Mode::blocking)
            at_blocking(record, words);
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
        return limits_.stop && out_.records % now_and_then == 0 && limits_.stop();
    }

    // --- what is sent and received

    void add(Ticks tick, Role role, std::uint32_t place, GlobalTime stamp, std::uint64_t number) {
        Event event{.tick = tick, .stamp = stamp, .number = number};
        event.set(role, place);
        event.order = static_cast<std::uint32_t>(out_.events.size()); // of equal ones, until they are numbered
        if (out_.too_many || out_.events.push_back(event)) return;
        out_.too_many = true;
        keep_error(out_.unreadable, {.what = std::string{"there is no room for its events: "} + std::strerror(errno),
                                     .file = file_.path(),
                                     .advice = "they take 32 bytes each beside the trace while it is finished"});
    }

    void send(const Record& record, const SentMessage& message) {
        send({message.comm, message.peer, message.tag, true}, lane_, record.enter,
             message.request != 0 ? message.request : name(0));
    }

    void send(const ChannelKey& to, std::uint32_t lane, Ticks at, std::uint64_t number) {
        if (const auto channel = channel_of(to, lane)) add(at, Role::send, *channel, 0, number);
    }

    void receive(const Post& post, const End& end, Role role = Role::receive) {
        receive({post.comm, end.source, end.tag, false}, post, end, role);
    }

    void receive(const ChannelKey& from, const Post& post, const End& end, Role role) {
        if (const auto channel = channel_of(from, post.lane, role == Role::receive))
            add(end.leave, role, *channel, static_cast<GlobalTime>(post.at), end.number);
    }

    // For one more event of that lane. Nothing: it goes nowhere (which counts), or to this rank itself.
    std::optional<std::uint32_t> channel_of(const ChannelKey& envelope, std::uint32_t lane, bool counts = true) {
        const std::uint32_t channel = channels_.find(envelope);
        if (channel == Channels::none) {
            out_.leave_out(Unmatched::outside, counts ? 1 : 0);
            return {};
        }
        if (out_.channels[channel].peer == out_.rank) return {};
        note_lane(out_.channels[channel], lane);
        return channel;
    }

    static void note_lane(Channel& channel, std::uint32_t lane) {
        if (channel.count++ == 0) channel.lane = lane;
        channel.threads = channel.threads || channel.lane != lane;
    }

    void posted(std::uint64_t request, Post post) { // by value: it may lie in posts_
        const auto end = ends_.find(request);
        if (end == ends_.end()) {
            posts_.insert_or_assign(request, post);
            return;
        }
        receive(post, end->second);
        ends_.erase(end);
    }

    void completed(std::uint64_t request, const End& end) {
        if (end.source < 0) return; // from MPI_PROC_NULL, or cancelled
        const auto post = posts_.find(request);
        if (post == posts_.end()) {
            ends_.insert_or_assign(request, end);
            return;
        }
        receive(post->second, end);
        posts_.erase(post);
    }

    // MPI_Imrecv whose MPI_Mprobe stands in a lane that was read later.
    void finish_posts() {
        for (const auto& [message, request] : requests_of_messages_)
            if (const auto post = posts_.find(message); post != posts_.end()) posted(request, post->second);
        for (const auto& [request, begun] : begun_) end_gathering(begun, begun.enter, false); // it never ended
    }

    void at_wait(const Record& record, Words words) {
        std::size_t received = 0;
        each_completion(record, words, [&](const Completion& done) {
            if (const auto begun = begun_.find(done.request); begun != begun_.end()) {
                end_gathering(begun->second, record.leave, true);
                begun_.erase(begun);
            } else if (done.received) {
                completed(done.request, end(record, done.source, done.tag, ++received));
            } else if (lanes_.size() > 1) {
                ended_.insert_or_assign(done.request, record.leave);
            }
        });
    }

    void at_starting(const Record& record, Words words) {
        const Signature& what = record.what;
        const Shape shape = shape_of(what.function);
        if (!what.has(flag::starts)) return;
        if (shape == Shape::receive || shape == Shape::sendrecv) posted(record.request, post(record, what.comm, 0));
        // Without the message's number its probe was not recorded, and where it was posted is not known.
        if (shape != Shape::matched_receive || words.empty()) return;
        const auto message = static_cast<std::uint64_t>(words[0]);
        if (const auto known = posts_.find(message); known != posts_.end()) {
            posted(record.request, known->second);
            posts_.erase(message);
        } else {
            requests_of_messages_.push_back({message, record.request});
        }
    }

    void at_blocking(const Record& record, Words words) {
        const Signature& what = record.what;
        switch (shape_of(what.function)) {
        case Shape::receive:
            if (what.peer >= 0) receive(post(record, what.comm, 0), end(record, what.peer, what.tag, 1));
            return;
        case Shape::sendrecv:
            if (const auto half = received_half(words); half && half->source >= 0)
                receive(post(record, what.comm, 0), end(record, half->source, half->tag, 1));
            return;
        case Shape::probe:
        case Shape::probe_try: // of several threads nobody knows whose message it was
            if (what.peer >= 0 && lanes_.size() == 1)
                receive(post(record, what.comm, 0), end(record, what.peer, what.tag, 0), Role::probe);
            return;
        case Shape::match:
        case Shape::match_try:
            if (what.has(flag::starts)) posted(record.request, post(record, what.comm, 0));
            return;
        case Shape::matched_receive:
            if (what.has(flag::completes)) completed(record.request, end(record, what.peer, what.tag, 1));
            return;
        default: {
            if (!starts_persistent(shape_of(what.function))) return;
            Ticks place = 0;
            each_start(record, words, [&](const Started& one) {
                if (is_partitioned(one.function))
                    partitioned_.start(one, lane_, record.enter);
                else if (shape_of(one.function) == Shape::receive)
                    posted(one.request, post(record, one.comm, place));
                if (pattern_of(shape_of(one.function)) != Pattern::none) gather_started(record, one);
                ++place;
            });
        }
        }
    }

    // Several posts of one call are made one after the other.
    [[nodiscard]] Post post(const Record& record, std::uint32_t comm, Ticks place) const {
        return {comm, lane_, std::min(record.enter + place, record.leave)};
    }
    // `which` of the call's messages; 0: it is none of its own.
    [[nodiscard]] End end(const Record& record, std::int32_t source, std::int32_t tag, std::size_t which) const {
        return {source, tag, record.leave, which == 0 ? 0 : name(which)};
    }
    // As the words of a Kind::message_ids have them.
    [[nodiscard]] std::uint64_t name(std::size_t which) const {
        return which < names_.size() ? static_cast<std::uint64_t>(names_[which]) : 0;
    }

    void add_partitioned() {
        partitioned_.each([&](const Partitioned::Start& start) {
            if (start.envelope.outgoing) {
                if (start.ready) send(start.envelope, start.lane, std::max(start.enter, *start.ready), 0);
            } else if (const auto end = ends_.find(start.request); end != ends_.end()) {
                receive(start.envelope, {start.envelope.comm, start.lane, start.enter}, end->second, Role::receive);
            }
        });
    }

    // --- collectives and windows

    void at_window(const Record& record, Words words) {
        const Signature& what = record.what;
        const Epochs::Step step = epochs_.step(what, words);
        if (what.function == Function::Win_fence)
            if (const auto part = groups_.part_of_fence(what.comm, step.window, step.waits)) gather(record, *part);
        for (const std::uint32_t rank : step.ranks) {
            if (out_.too_many) return;
            ChannelKey envelope{.comm = what.comm,
                                .peer = static_cast<std::int32_t>(rank),
                                .tag = tag_of_windows,
                                .series = step.window};
            envelope.outgoing = what.function == Function::Win_complete;
            if (envelope.outgoing)
                send(envelope, lane_, record.enter, 0);
            else if (!what.has(flag::unfinished))
                receive(envelope, post(record, what.comm, 0), end(record, 0, 0, 0), Role::receive);
        }
    }

    void gather(const Record& record, const Participation& part) {
        const Signature& what = record.what;
        if (mode_of(what.function) == Mode::persistent) {
            prepared_.insert_or_assign(record.request, part);
            return;
        }
        const Begun begun = begin_gathering(part, record.enter);
        if (what.has(flag::unfinished))
            end_gathering(begun, record.enter, false);
        else if (what.has(flag::starts))
            goes_on(record.request, begun);
        else
            end_gathering(begun, record.leave, true);
    }

    // MPI_Start and MPI_Startall of persistent collectives.
    void gather_started(const Record& record, const Started& one) {
        if (const auto known = prepared_.find(one.prepared); known != prepared_.end())
            goes_on(one.request, begin_gathering(known->second, record.enter));
    }

    void goes_on(std::uint64_t request, const Begun& begun) {
        const auto ended = ended_.find(request);
        if (ended == ended_.end()) {
            begun_.insert_or_assign(request, begun);
            return;
        }
        end_gathering(begun, ended->second, true);
        ended_.erase(ended);
    }

    Begun begin_gathering(const Participation& part, Ticks enter) {
        ++out_.groups[part.group].count;
        // In front of a scan a rank waits for nobody.
        const CollectiveGroup& group = out_.groups[part.group];
        if (!part.takes || (group.takes_from == TakesFrom::lower && group.member == 0)) ++out_.groups[part.group].ahead;
        const Role role = part.gives ? Role::come_give : Role::come;
        add(enter, role, part.group, static_cast<GlobalTime>(calls_),
            Partners{part.takes, part.sources, part.root}.as_number());
        return {part, enter, calls_++};
    }
    void end_gathering(const Begun& begun, Ticks tick, bool took) {
        const Role role = begun.part.takes && took ? Role::go_take : Role::go;
        add(tick, role, begun.part.group, static_cast<GlobalTime>(begun.call),
            Partners{begun.part.gives, begun.part.destinations}.as_number());
    }

    [[nodiscard]] bool was_cut() const {
        const std::vector<Totals>& totals = file_.definitions().totals;
        return totals.empty() || totals.front().ending != Ending::finalize;
    }

    const RankFile& file_;
    const ReadingLimits& limits_;
    std::vector<LaneBlocks> lanes_;
    RankEvents out_;
    Channels channels_{file_, out_.channels};
    CollectiveGroups groups_{file_, out_.groups, out_.lists};
    Epochs epochs_{file_};
    Partitioned partitioned_;
    ByNumber<Post> posts_; // by request
    ByNumber<End> ends_;
    ByNumber<Begun> begun_;
    ByNumber<Participation> prepared_;
    ByNumber<Ticks> ended_; // other than receives, before their beginning was read
    std::vector<std::pair<std::uint64_t, std::uint64_t>> requests_of_messages_;
    std::uint64_t calls_ = 0; // collectives
    std::uint32_t lane_ = 0;
    std::vector<std::int64_t> names_; // of the messages of the call that left at that tick
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

RankEvents events_of(const RankFile& file, const ReadingLimits& limits) { return RankReading{file, limits}.read(); }

} // namespace tactus
