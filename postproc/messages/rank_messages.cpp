#include "postproc/messages/rank_messages.hpp"

#include "trace/completeness.hpp"
#include "trace/lane_walk.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>
#include <unordered_map>

namespace tactus {
namespace {

// Brings together where receives were posted and where they completed, by request number. Lanes are read one after the
// other, so the completion may come first.
class Receives {
  public:
    struct Post {
        std::uint32_t comm = 0;
        std::uint32_t lane = 0;
        Ticks enter = 0;
        Ticks leave = 0;
    };
    struct End {
        std::int32_t source = peer::none;
        std::int32_t tag = 0;
        std::uint64_t bytes = 0;
        std::uint32_t lane = 0;
        Ticks leave = 0;
        std::uint64_t number = 0;
    };

    explicit Receives(std::vector<Half>& received) : received_{received} {}

    void posted(std::uint64_t request, const Post& post) {
        const auto end = ends_.find(request);
        if (end == ends_.end()) {
            posts_.try_emplace(request, post);
            return;
        }
        add(post, end->second);
        ends_.erase(end);
    }

    void completed(std::uint64_t request, const End& end) {
        if (end.source < 0) return; // from MPI_PROC_NULL
        const auto post = posts_.find(request);
        if (post == posts_.end()) {
            ends_.try_emplace(request, end);
            return;
        }
        add(post->second, end);
        posts_.erase(post);
    }

    // MPI_Imrecv: a message that a matched probe took has become a request.
    void becomes(std::uint64_t message, std::uint64_t request) { requests_of_messages_.push_back({message, request}); }

    void at_once(const Post& post, const End& end) {
        if (end.source >= 0) add(post, end);
    }

    // After the last lane. What is left over was never completed, or its post is not in the trace.
    void finish() {
        for (const auto& [message, request] : requests_of_messages_) {
            const auto post = posts_.find(message);
            if (post == posts_.end()) continue;
            posted(request, post->second);
            posts_.erase(message);
        }
    }

  private:
    void add(const Post& post, const End& end) {
        received_.push_back({.comm = post.comm,
                             .peer = end.source,
                             .tag = end.tag,
                             .order_lane = post.lane,
                             .enter = post.enter,
                             .leave = post.leave,
                             .lane = end.lane,
                             .tick = end.leave,
                             .bytes = end.bytes,
                             .number = end.number});
    }

    std::vector<Half>& received_;
    std::unordered_map<std::uint64_t, Post> posts_;
    std::unordered_map<std::uint64_t, End> ends_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> requests_of_messages_;
};

class RankReading {
  public:
    explicit RankReading(const RankFile& file) : file_{file} {}

    RankMessages read() {
        for (const LaneBlocks blocks : lanes_of(file_)) {
            LaneWalk walk{file_, blocks};
            lane_ = walk.lane();
            while (walk.next()) at(walk.record(), walk.words());
            for (const Error& error : walk.unreadable()) keep_error(rank_.unreadable, error);
            for (std::size_t i = 0; i < blocks.size(); ++i)
                if (blocks[i].sequence != i) rank_.complete = false;
        }
        receives_.finish();
        if (!rank_.unreadable.empty() || !says_it_is_complete(file_)) rank_.complete = false;
        return std::move(rank_);
    }

  private:
    void at(const Record& record, Words words) {
        const Signature& what = record.what;
        if (what.kind == Kind::message_ids) {
            names_.assign(words.begin(), words.end());
            named_leave_ = record.leave;
        }
        if (what.kind == Kind::loss && what.type == static_cast<std::uint32_t>(Loss::switched_off)) at_loss(words);
        if (what.kind != Kind::call || what.has(flag::misses)) return;
        if (record.leave != named_leave_) names_.clear();
        for (const SentMessage& message : messages_sent(record, words))
            if (!is_partitioned(message.function)) add_sent(record, message);
        // What it started stands in words that it did not come to write.
        if (what.has(flag::unfinished) && starts_persistent(shape_of(what.function))) rank_.complete = false;
        // A call that failed may have completed receives (MPI_ERR_TRUNCATE), but not every MPI fills their statuses.
        if (what.has(flag::failed) || what.has(flag::unfinished)) return;
        if (completes_requests(shape_of(what.function))) return at_wait(record, words);
        if (mode_of(what.function) == Mode::starting)
            at_starting(record, words);
        else if (mode_of(what.function) == Mode::blocking)
            at_blocking(record, words);
    }

    void at_loss(Words words) {
        for (const NotRecorded& channel : not_recorded_of(words)) rank_.not_recorded.push_back(channel);
    }

    void add_sent(const Record& record, const SentMessage& message) {
        rank_.sent.push_back({.comm = message.comm,
                              .peer = message.peer,
                              .tag = message.tag,
                              .order_lane = lane_,
                              .enter = record.enter,
                              .leave = record.leave,
                              .lane = lane_,
                              .tick = record.enter,
                              .bytes = message.bytes,
                              .number = message.request != 0 ? message.request : name(0)});
    }

    // MPI_Request_get_status is none of these: the request it looked at completes again.
    void at_wait(const Record& record, Words words) {
        std::size_t received = 0;
        for (const Completion& done : completions_of(record, words))
            if (done.received)
                receives_.completed(done.request, end(record, done.source, done.tag, done.bytes, ++received));
    }

    void at_starting(const Record& record, Words words) {
        const Signature& what = record.what;
        const Shape shape = shape_of(what.function);
        if (!what.has(flag::starts)) return;
        if (shape == Shape::receive || shape == Shape::sendrecv) receives_.posted(record.request, post(record));
        // Without the message's number its probe was not recorded, and where it was posted is not known.
        if (shape == Shape::matched_receive && !words.empty())
            receives_.becomes(static_cast<std::uint64_t>(words[0]), record.request);
    }

    void at_blocking(const Record& record, Words words) {
        const Signature& what = record.what;
        switch (shape_of(what.function)) {
        case Shape::receive:
            return receives_.at_once(post(record), end(record, what.peer, what.tag, what.bytes));
        case Shape::sendrecv:
            if (const auto half = received_half(words))
                receives_.at_once(post(record), end(record, half->source, half->tag, half->bytes));
            return;
        case Shape::match:
        case Shape::match_try:
            if (what.has(flag::starts)) receives_.posted(record.request, post(record));
            return;
        case Shape::matched_receive:
            if (what.has(flag::completes))
                receives_.completed(record.request, end(record, what.peer, what.tag, what.bytes));
            return;
        default:
            for (const Started& one : starts_of(record, words))
                if (shape_of(one.function) == Shape::receive && !is_partitioned(one.function))
                    receives_.posted(one.request, post(record, one.comm));
        }
    }

    [[nodiscard]] Receives::Post post(const Record& record) const { return post(record, record.what.comm); }
    [[nodiscard]] Receives::Post post(const Record& record, std::uint32_t comm) const {
        return {comm, lane_, record.enter, record.leave};
    }
    // `which` of the call's receives.
    [[nodiscard]] Receives::End end(const Record& record, std::int32_t source, std::int32_t tag, std::uint64_t bytes,
                                    std::size_t which = 1) const {
        return {source, tag, bytes, lane_, record.leave, name(which)};
    }
    // As the words of a Kind::message_ids have them.
    [[nodiscard]] std::uint64_t name(std::size_t which) const {
        return which < names_.size() ? static_cast<std::uint64_t>(names_[which]) : 0;
    }

    const RankFile& file_;
    RankMessages rank_;
    Receives receives_{rank_.received};
    std::uint32_t lane_ = 0;
    std::vector<std::int64_t> names_; // of the messages of the call that left at that tick
    Ticks named_leave_ = 0;
};

} // namespace

RankMessages messages_of(const RankFile& file) { return RankReading{file}.read(); }

} // namespace tactus
