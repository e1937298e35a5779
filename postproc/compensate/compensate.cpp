#include "postproc/compensate/compensate.hpp"

#include "piggyback/delay.hpp"
#include "postproc/compensate/meetings.hpp"
#include "postproc/compensate/record_costs.hpp"
#include "trace/lane_walk.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tactus {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// The end of MPI_Init is where the program begins; what the tracer does then, all ranks together, is its first delay.
bool begins_the_run(const Record& record) {
    const Shape shape = shape_of(record.what.function);
    return record.what.kind == Kind::call && (shape == Shape::init || shape == Shape::init_thread);
}

double starting_ns(const RankFile& file) {
    double ns = 0;
    for (const Totals& totals : file.definitions().totals) ns += 1e9 * file.seconds(totals.starting);
    return ns;
}

double measured_ns(const RankFile& file, const Record& record) {
    const bool round =
        record.what.kind == Kind::sync && record.what.type != static_cast<std::uint32_t>(RoundReason::init);
    return round && record.leave > record.enter ? 1e9 * file.seconds(record.leave - record.enter) : 0;
}

// One lane while its delays are found out.
struct LaneRun {
    LaneRun(std::size_t its_rank, std::uint32_t number, LaneWalk records)
        : rank{its_rank}, lane{number}, walk{std::move(records)} {}

    std::size_t rank;
    std::uint32_t lane;
    LaneWalk walk;
    double delay = 0;

    // The call whose other sides are not known yet.
    bool open = false;
    double at_enter = 0;
    double entered = 0;
    struct Joined {
        MeetingKey meeting = 0;
        std::uint32_t comm = 0;
    };
    std::vector<Joined> joined; // collectives that it waits for

    struct Sent {
        Ticks tick;
        double entered = unknown;
        double delay = 0;
    };
    std::vector<Sent> sent; // by tick
    struct Received {
        Ticks tick;       // leave of the call that completed it
        std::size_t from; // lane run
        Ticks sent;
    };
    std::vector<Received> received;                        // by tick
    std::unordered_map<std::uint64_t, Joined> of_requests; // collectives that were begun
    std::vector<std::size_t> waiting;                      // lanes that want to know what this one sends
    bool queued = false;
    bool over = false;
    bool patient = true; // false: goes on without what it does not know

    [[nodiscard]] const Sent* find_sent(Ticks tick) const {
        const auto at = std::lower_bound(sent.begin(), sent.end(), tick,
                                         [](const Sent& one, Ticks wanted) { return one.tick < wanted; });
        return at != sent.end() && at->tick == tick ? &*at : nullptr;
    }
};

class Replay {
  public:
    Replay(const Trace& trace, const TakeDelayed& take) : trace_{trace}, take_{take} {
        for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
            const RankFile& file = trace.ranks[rank];
            costs_.emplace_back(file);
            for (const LaneBlocks blocks : lanes_of(file)) {
                LaneWalk walk{file, blocks};
                const std::uint32_t lane = walk.lane();
                index_of_lane_[{file.header().rank, lane}] = lanes_.size();
                lanes_.emplace_back(rank, lane, std::move(walk));
            }
        }
        result_.pairing = for_each_message(trace, [this](const Message& message) { add(message); });
        for (LaneRun& lane : lanes_) {
            const auto by_tick = [](const auto& a, const auto& b) { return a.tick < b.tick; };
            std::sort(lane.sent.begin(), lane.sent.end(), by_tick);
            const auto same = [](const LaneRun::Sent& a, const LaneRun::Sent& b) { return a.tick == b.tick; };
            lane.sent.erase(std::unique(lane.sent.begin(), lane.sent.end(), same), lane.sent.end());
            std::stable_sort(lane.received.begin(), lane.received.end(), by_tick);
        }
        meetings_.emplace(trace, result_.pairing);
    }

    Compensation run() {
        for (std::size_t i = 0; i < lanes_.size(); ++i) make_ready(i);
        while (true) {
            while (!ready_.empty()) {
                const std::size_t next = ready_.front();
                ready_.pop_front();
                run(next);
            }
            LaneRun* const stuck = earliest_stuck();
            if (stuck == nullptr) return std::move(result_);
            stuck->patient = false;
            make_ready(static_cast<std::size_t>(stuck - lanes_.data()));
        }
    }

  private:
    [[nodiscard]] const RankFile& file_of(const LaneRun& lane) const { return trace_.ranks[lane.rank]; }
    [[nodiscard]] double ns(const LaneRun& lane, Ticks tick) const { return 1e9 * trace_.seconds(file_of(lane), tick); }

    void add(const Message& message) {
        const auto from = index_of_lane_.find({message.sent.rank, message.sent.lane});
        const auto to = index_of_lane_.find({message.received.rank, message.received.lane});
        if (from == index_of_lane_.end() || to == index_of_lane_.end()) return;
        LaneRun& sender = lanes_[from->second];
        LaneRun& receiver = lanes_[to->second];
        sender.sent.push_back({.tick = message.sent.tick});
        receiver.received.push_back({message.received.tick, from->second, message.sent.tick});
        double& transit = transits_.try_emplace({sender.rank, receiver.rank}, 1e18).first->second;
        transit = std::min(transit, std::max(0.0, ns(receiver, message.received.tick) - ns(sender, message.sent.tick)));
    }

    // As far as it goes.
    void run(std::size_t index) {
        LaneRun& lane = lanes_[index];
        lane.queued = false;
        bool moved = false; // who did not has nothing new for those that wait
        while (!lane.over) {
            if (!lane.open) {
                moved = true;
                lane.over = !begin_next(lane);
            }
            if (lane.over || !end(lane, index)) break;
            moved = true;
        }
        if (moved) wake(lane.waiting);
    }

    void wake(std::vector<std::size_t>& waiting) {
        for (const std::size_t index : waiting) make_ready(index);
        waiting.clear();
    }

    void make_ready(std::size_t index) {
        if (!std::exchange(lanes_[index].queued, true)) ready_.push_back(index);
    }

    LaneRun* earliest_stuck() {
        LaneRun* earliest = nullptr;
        for (LaneRun& lane : lanes_)
            if (!lane.over && (earliest == nullptr || lane.entered < earliest->entered)) earliest = &lane;
        return earliest;
    }

    // The next record, up to where it needs to know of others.
    bool begin_next(LaneRun& lane) {
        if (!lane.walk.next()) return false;
        const Record& record = lane.walk.record();
        const Words words = lane.walk.words();
        const RecordCosts& costs = costs_[lane.rank];
        lane.open = true;
        lane.patient = true;
        lane.joined.clear();
        lane.delay += costs.before(lane.walk);
        lane.at_enter = lane.delay;
        lane.delay += costs.in_front(record, words);
        lane.entered = ns(lane, record.enter);
        if (record.what.kind != Kind::call) return true;
        const auto at = std::lower_bound(lane.sent.begin(), lane.sent.end(), record.enter,
                                         [](const LaneRun::Sent& one, Ticks tick) { return one.tick < tick; });
        if (at != lane.sent.end() && at->tick == record.enter) {
            at->entered = lane.entered;
            at->delay = lane.delay;
        }
        if (!record.what.has(flag::failed)) join_meetings(lane, record, words);
        lane.delay += costs.inside(record);
        return true;
    }

    void join_meetings(LaneRun& lane, const Record& record, Words words) {
        const Signature& what = record.what;
        if (is_collective(what.function)) {
            const LaneRun::Joined joined = join(lane, record, what.comm, what.function, what.peer);
            if (mode_of(what.function) == Mode::blocking)
                lane.joined.push_back(joined);
            else if (what.has(flag::starts))
                lane.of_requests[record.request] = joined;
        }
        for (const Started& one : starts_of(record, words))
            if (pattern_of(shape_of(one.function)) != Pattern::none)
                lane.of_requests[one.request] = join(lane, record, one.comm, one.function, one.peer);
        if (!lane.of_requests.empty() && completes_requests(shape_of(what.function)))
            for (const Completion& done : completions_of(record, words))
                if (const auto at = lane.of_requests.find(done.request); at != lane.of_requests.end()) {
                    lane.joined.push_back(at->second);
                    lane.of_requests.erase(at);
                }
        result_.unknown += std::erase_if(lane.joined, [](const LaneRun::Joined& one) { return one.meeting == 0; });
    }

    LaneRun::Joined join(LaneRun& lane, const Record& record, std::uint32_t comm, Function function,
                         std::int32_t root) {
        const MeetingKey key = meetings_->join(lane.rank, comm, record.enter, pattern_of(shape_of(function)), root,
                                               lane.entered, lane.entered - lane.delay);
        wake(meetings_->waiting(key));
        return {key, comm};
    }

    // What others brought. False: somebody has to go on first.
    bool end(LaneRun& lane, std::size_t index) {
        const Record& record = lane.walk.record();
        double arrived = never;
        double undelayed = never;
        bool any_unknown = false;
        const auto range =
            std::equal_range(lane.received.begin(), lane.received.end(), LaneRun::Received{record.leave, 0, 0},
                             [](const LaneRun::Received& a, const LaneRun::Received& b) { return a.tick < b.tick; });
        const bool receives = record.what.kind == Kind::call && range.first != range.second;
        if (receives)
            for (auto one = range.first; one != range.second; ++one) {
                LaneRun& sender = lanes_[one->from];
                const LaneRun::Sent* const sent = sender.find_sent(one->sent);
                if (sent == nullptr || std::isnan(sent->entered)) {
                    if (lane.patient && !sender.over) return wait(sender.waiting, index);
                    any_unknown = true;
                    continue;
                }
                const double there = sent->entered + transits_[{sender.rank, lane.rank}];
                arrived = std::max(arrived, there);
                undelayed = std::max(undelayed, there - sent->delay);
            }
        bool counted = false;
        for (const auto& [meeting, comm] : lane.joined) {
            Meetings::Needed needed{};
            if (!meetings_->look(meeting, lane.rank, comm, needed)) {
                if (lane.patient) return wait(meetings_->waiting(meeting), index);
                any_unknown = true;
                continue;
            }
            if (needed.nobody) continue;
            counted = true;
            arrived = std::max(arrived, needed.entered);
            undelayed = std::max(undelayed, needed.undelayed);
        }
        for (const LaneRun::Joined& one : lane.joined) meetings_->leave(one.meeting, lane.rank);
        settle(lane, record, arrived, undelayed);
        result_.messages += receives ? static_cast<std::uint64_t>(range.second - range.first) : 0;
        result_.collectives += counted ? 1 : 0;
        result_.unknown += any_unknown ? 1 : 0;
        return true;
    }

    static bool wait(std::vector<std::size_t>& waiting, std::size_t index) {
        waiting.push_back(index);
        return false;
    }

    void settle(LaneRun& lane, const Record& record, double arrived, double undelayed) {
        const RankFile& file = file_of(lane);
        if (arrived != never) lane.delay = delay_after_messages(lane.delay, lane.entered, arrived, undelayed);
        lane.delay += measured_ns(file, record);
        if (begins_the_run(record)) lane.at_enter = lane.delay = 0;
        if (record.what.kind == Kind::delay) ++result_.notes;
        take_({.rank = lane.rank,
               .lane = lane.lane,
               .record = record,
               .words = lane.walk.words(),
               .at_enter = lane.at_enter,
               .at_leave = lane.delay});
        if (begins_the_run(record)) lane.delay = starting_ns(file);
        lane.delay += costs_[lane.rank].behind(record, lane.walk.words());
        lane.open = false;
    }

    const Trace& trace_;
    const TakeDelayed& take_;
    std::vector<LaneRun> lanes_;
    std::vector<RecordCosts> costs_;                                               // by rank
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> index_of_lane_; // by rank and lane
    std::map<std::pair<std::size_t, std::size_t>, double> transits_;               // by the two ranks, in ns
    std::deque<std::size_t> ready_;
    std::optional<Meetings> meetings_;
    Compensation result_;
};

Compensation noted(const Trace& trace, const TakeDelayed& take) {
    Compensation result;
    for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
        const RankFile& file = trace.ranks[rank];
        const RecordCosts costs{file};
        for (const LaneBlocks blocks : lanes_of(file)) {
            LaneWalk walk{file, blocks};
            double delay = 0;
            Ticks noted_leave = 0; // of the call that the last note is about
            double noted_before = 0;
            double noted_after = 0;
            while (walk.next()) {
                const Record& record = walk.record();
                const Words words = walk.words();
                double at_enter = delay + costs.before(walk);
                delay = at_enter + costs.in_front(record, words) + costs.inside(record) + measured_ns(file, record);
                if (record.what.kind == Kind::delay && words.size() >= 2) {
                    ++result.notes;
                    noted_leave = record.leave;
                    noted_before = static_cast<double>(words[0]);
                    noted_after = static_cast<double>(words[1]);
                } else if (record.what.kind == Kind::call && record.leave == noted_leave) {
                    at_enter = noted_before;
                    delay = noted_after;
                }
                if (begins_the_run(record)) at_enter = delay = 0;
                take({rank, walk.lane(), record, words, at_enter, delay});
                if (begins_the_run(record)) delay = starting_ns(file);
                delay += costs.behind(record, words);
            }
        }
    }
    return result;
}

} // namespace

Compensation compensate(const Trace& trace, DelaySource source, const TakeDelayed& take) {
    return source == DelaySource::noted ? noted(trace, take) : Replay{trace, take}.run();
}

} // namespace tactus
