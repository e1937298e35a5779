#include "postproc/compensate/rank_delays.hpp"

#include "postproc/replay/messages.hpp"

#include <algorithm>
#include <map>

namespace tactus {
namespace {

bool is_given(Role role) { return role == Role::send || is_enter(role); }

} // namespace

RankDelays::RankDelays(std::size_t rank, const RankFile& file, const ProcessClock& clock, const RankEvents& events,
                       const TakeDelayed& take)
    : costs_{file} {
    for (const LaneBlocks blocks : lanes_of(file)) lanes_.emplace_back(rank, file, clock, blocks, costs_, take);
    own_sent_.resize(lanes_.size());
    own_taken_.resize(lanes_.size());
    next_sent_.resize(lanes_.size());
    next_taken_.resize(lanes_.size());
    add_own(clock, events.own);
    for (std::size_t i = 0; i < lanes_.size(); ++i) begin_own(i);
}

void RankDelays::add_own(const ProcessClock& clock, const std::vector<RankEvents>& own) {
    std::map<std::uint32_t, std::size_t> index; // by lane
    for (std::size_t i = 0; i < lanes_.size(); ++i) index[lanes_[i].lane()] = i;
    const auto time = [&](Ticks tick) { return within_reach(clock.at(tick)); };
    own_latency_ = std::numeric_limits<GlobalTime>::max();
    for_each_matched(own, [&](const Message& message) {
        own_.push_back({.from = index.at(message.sent.lane),
                        .to = index.at(message.received.lane),
                        .sent = message.sent.tick,
                        .received = message.received.tick,
                        .given = {}});
        own_latency_ = std::clamp<GlobalTime>(time(message.received.tick) - time(message.sent.tick), 0, own_latency_);
    });
    for (std::size_t i = 0; i < own_.size(); ++i) {
        own_sent_[own_[i].from].push_back(i);
        own_taken_[own_[i].to].push_back(i);
    }
    for (auto& sent : own_sent_)
        std::sort(sent.begin(), sent.end(), [&](auto a, auto b) { return own_[a].sent < own_[b].sent; });
    for (auto& taken : own_taken_)
        std::sort(taken.begin(), taken.end(), [&](auto a, auto b) { return own_[a].received < own_[b].received; });
}

LaneDelays* RankDelays::at(const Event& event) {
    const bool given = is_given(event.role());
    LaneDelays* found = nullptr;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        LaneDelays& lane = lanes_[i];
        while (!lane.over() && lane.leave() < event.tick) go_on(i);
        // A call may begin at the tick at which the one before it ended.
        if (given && !lane.over() && lane.enter() != event.tick && lane.leave() == event.tick) go_on(i);
        const bool holds = !lane.over() && (given ? lane.enter() : lane.leave()) == event.tick;
        if (found == nullptr && holds) found = &lane;
    }
    return found;
}

void RankDelays::finish() {
    for (std::size_t i = 0; i < lanes_.size(); ++i)
        while (!lanes_[i].over()) go_on(i);
}

void RankDelays::go_on(std::size_t lane) {
    if (!own_.empty()) take_own(lane);
    lanes_[lane].go_on();
    if (!own_.empty()) begin_own(lane);
}

// Sets the times of the messages that the call which has just begun sends to this rank.
void RankDelays::begin_own(std::size_t lane) {
    LaneDelays& sender = lanes_[lane];
    for (std::size_t& next = next_sent_[lane]; !sender.over() && next < own_sent_[lane].size(); ++next) {
        OwnMessage& message = own_[own_sent_[lane][next]];
        if (message.sent > sender.enter()) return;
        if (message.sent == sender.enter()) message.given = sender.given();
    }
}

// Takes the messages that the ending call has received from this rank. Their senders have begun before, but perhaps
// their lanes did not get there yet; then they go on first.
void RankDelays::take_own(std::size_t lane) {
    LaneDelays& receiver = lanes_[lane];
    for (std::size_t& next = next_taken_[lane]; next < own_taken_[lane].size();) {
        const OwnMessage& message = own_[own_taken_[lane][next]];
        if (message.received > receiver.leave()) return;
        ++next; // before the sender goes on, which may lead back here when two threads send to each other
        LaneDelays& sender = lanes_[message.from];
        if (message.from != lane)
            while (!sender.over() && sender.leave() < message.sent) go_on(message.from);
        if (message.received == receiver.leave() && message.given.measured != GivenTimes::never)
            receiver.take(message.given.after(own_latency_), false);
    }
}

std::uint64_t RankDelays::collectives() const {
    std::uint64_t sum = 0;
    for (const LaneDelays& lane : lanes_) sum += lane.collectives();
    return sum;
}

std::uint64_t RankDelays::notes() const {
    std::uint64_t sum = 0;
    for (const LaneDelays& lane : lanes_) sum += lane.notes();
    return sum;
}

} // namespace tactus
