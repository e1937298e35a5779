#include "postproc/waits/call_facts.hpp"

#include "postproc/replay/channels.hpp"
#include "postproc/replay/reversed.hpp"
#include "trace/lane_walk.hpp"
#include "trace/run_ends.hpp"
#include "trace/shapes.hpp"
#include "trace/stretch.hpp"

#include <algorithm>
#include <optional>
#include <tsl/robin_map.h>
#include <utility>

namespace tactus {
namespace {

bool is_given(Role role) { return role == Role::send || is_enter(role); }

// When a thread began to poll: to make unsuccessful tests or probes again and again, and nothing else, until one of
// them is successful. It polls where it makes one test soon after the other, or is mostly not on a core between them. A
// thread that computes between its tests does not poll, but works until something has come.
class Polling {
  public:
    struct Begin {
        GlobalTime enter = 0;
        GlobalTime computed = 0; // what the thread had computed until then
    };

    [[nodiscard]] bool polls() const { return polls_; }
    // The thread was in a call, whose `tests` (0: it is none) were in MPI for `inside` in all. Gives when the polling
    // began that this call ends.
    std::optional<Begin> see_call(GlobalTime enter, GlobalTime leave, std::uint64_t tests, GlobalTime inside,
                                  GlobalTime computed) {
        const GlobalTime before = polls_ ? enter - until_ : 0;
        if (tests == 0) {
            if (!std::exchange(polls_, false)) return {};
            if (slept_ && sum_of(doubtful_, before) <= time_of_ns(most_asleep_ns)) return begin_;
            if (to_ns(before) > most_between_ns) return {}; // it may have computed until now
            return doubtful_ > 0 ? after_doubt_ : begin_;
        }
        if (!polls_) {
            begin_ = after_doubt_ = {enter, computed};
            doubtful_ = 0;
            slept_ = false;
        }
        polls_ = true;
        const GlobalTime between = before + std::max<GlobalTime>(leave - enter - inside, 0);
        if (to_ns(between) > most_between_ns * static_cast<double>(tests)) {
            doubtful_ = sum_of(doubtful_, between);
            after_doubt_ = {leave, sum_of(computed, std::max<GlobalTime>(leave - enter - inside, 0))};
        }
        until_ = leave;
        return {};
    }
    // The thread was not on a core for `off_core` of the time between two readings (trace/stretch.hpp), and had
    // computed `computed` until the second. If it computed between its tests, it does not poll before that.
    void see_stretch(GlobalTime to, GlobalTime off_core, GlobalTime computed) {
        if (!polls_) return;
        const GlobalTime between = sum_of(doubtful_, std::max<GlobalTime>(to - until_, 0));
        if (to_ns(between) > most_between_ns) {
            slept_ = off_core >= between / 2;
            if (!slept_) begin_ = {to, computed};
        }
        after_doubt_ = begin_;
        doubtful_ = 0;
        until_ = std::max(until_, to);
    }

  private:
    static constexpr double most_between_ns = 50e3; // two tests
    static constexpr double most_asleep_ns = 10e6;  // that no stretch explains, of a thread that was asleep before

    bool polls_ = false; // all calls since begin_ were tests
    bool slept_ = false; // between its tests, in the last stretch
    Begin begin_;
    Begin after_doubt_;       // the last of the tests that are far from each other
    GlobalTime doubtful_ = 0; // time between tests that are far from each other, since the last stretch
    GlobalTime until_ = 0;
};

// The calls of one thread in the order of time, and how much the thread computed in between.
class LaneCalls {
  public:
    LaneCalls(const RankFile& file, LaneBlocks blocks, const ProcessClock& clock)
        : file_{file}, walk_{file, blocks}, enters_{clock}, leaves_{clock} {
        next();
    }

    [[nodiscard]] std::uint32_t number() const { return walk_.lane(); }
    [[nodiscard]] bool over() const { return over_; }
    [[nodiscard]] const Record& record() const { return walk_.record(); }
    [[nodiscard]] Words words() const { return walk_.words(); }
    [[nodiscard]] GlobalTime enter() const { return enter_; }
    [[nodiscard]] GlobalTime leave() const { return leave_; }
    // When the thread began to wait for what the call took: when the call began, or the tests before it.
    [[nodiscard]] GlobalTime since() const { return since_; }
    [[nodiscard]] GlobalTime begin() const { return begin_; }
    [[nodiscard]] GlobalTime end() const { return end_; }
    [[nodiscard]] bool holds(Ticks tick, bool given) const {
        return !over_ && (given ? record().enter == tick : record().leave == tick);
    }

    void next() {
        if (!over_ && had_one_) pass();
        do {
            over_ = !walk_.next();
            if (!over_) see_stretch();
        } // nested records precede the record of the call around them
        while (!over_ && (walk_.record().what.kind != Kind::call || walk_.record().what.has(flag::nested)));
        if (over_) return;
        enter_ = within_reach(enters_.at(record().enter));
        leave_ = within_reach(leaves_.at(record().leave));
        if (!had_one_) begin_ = last_leave_ = end_ = enter_;
        if (begins_run(record().what)) begin_ = last_leave_ = leave_, computed_ = 0;
        end_ = may_end_run(record().what.function) ? enter_ : leave_;
        had_one_ = true;
        poll();
    }

    // How long the thread computed until `time`. The current call is the one that contains `time` or follows it.
    [[nodiscard]] GlobalTime computed_until(GlobalTime time) const {
        const GlobalTime until = over_ ? end_ : std::min(time, enter_);
        return computed_ + std::max<GlobalTime>(until - last_leave_, 0);
    }

  private:
    // How much of the time of a call, or of equal calls in a row, was spent in MPI.
    [[nodiscard]] GlobalTime inside() const {
        const Record& call = record();
        const GlobalTime whole = std::max<GlobalTime>(leave_ - std::max(enter_, last_leave_), 0);
        if (!call.what.has(flag::repeated) || call.leave - call.enter <= call.what.bytes) return whole;
        const double share = static_cast<double>(call.what.bytes) / static_cast<double>(call.leave - call.enter);
        return static_cast<GlobalTime>(share * static_cast<double>(whole));
    }
    void pass() {
        if (enter_ > last_leave_) computed_ += enter_ - last_leave_;
        if (record().what.has(flag::repeated)) // the thread was outside of MPI between equal calls in a row
            computed_ += std::max<GlobalTime>(leave_ - std::max(enter_, last_leave_), 0) - inside();
        last_leave_ = std::max(last_leave_, leave_);
    }
    void poll() {
        since_ = enter_;
        const bool test = found_nothing(record().what);
        if (!test && !polling_.polls()) return;
        const auto ended = polling_.see_call(enter_, leave_, test ? std::max<std::uint64_t>(calls_of(record()), 1) : 0,
                                             inside(), computed_until(enter_));
        if (!ended) return;
        since_ = ended->enter;
        computed_ = ended->computed; // it only polled since then
        last_leave_ = std::max(last_leave_, enter_);
    }
    void see_stretch() {
        if (walk_.record().what.kind != Kind::stretch) return;
        const auto stretch = Stretch::from(walk_.record(), walk_.words());
        if (!stretch) return;
        const double off_core_ns = 1e9 * file_.seconds(stretch->length) - static_cast<double>(stretch->ran_ns);
        const GlobalTime to = within_reach(enters_.at(walk_.record().enter));
        polling_.see_stretch(to, time_of_ns(std::max(off_core_ns, 0.0)),
                             computed_ + std::max<GlobalTime>(to - last_leave_, 0));
    }

    const RankFile& file_;
    LaneWalk walk_;
    ClockCursor enters_;
    ClockCursor leaves_;
    bool over_ = false;
    bool had_one_ = false;
    GlobalTime enter_ = 0;
    GlobalTime leave_ = 0;
    GlobalTime begin_ = 0;
    GlobalTime end_ = 0;
    GlobalTime since_ = 0;
    GlobalTime last_leave_ = 0;
    GlobalTime computed_ = 0;
    Polling polling_;
};

class FindingCalls {
  public:
    FindingCalls(RankEvents& rank, const RankFile& file, const ClockOfLane& clock, RankCalls& calls,
                 const std::function<bool()>& stop)
        : rank_{rank}, file_{file}, calls_{calls}, stop_{stop}, posts_{clock(0)} {
        // The first lane with calls belongs to the thread that the application began with, whichever other threads have
        // a lane.
        std::size_t number = 0;
        for (const LaneBlocks blocks : lanes_of(file)) {
            const ProcessClock& of_lane = clock(number++);
            if (std::any_of(blocks.begin(), blocks.end(), [](const IndexEntry& block) { return block.calls > 0; }))
                lanes_.emplace_back(file, blocks, of_lane);
            if (lanes_.size() == 1) calls_.first_lane = blocks.front().lane;
        }
        calls_.places.push_back({}); // an unknown place
    }

    void run() {
        constexpr std::size_t now_and_then = 65536; // events
        for (std::size_t i = 0; i < rank_.events.size(); ++i, rank_.events.pass(i), calls_.pass(i)) {
            if (stop_ && i % now_and_then == 0 && stop_()) return;
            at_event(i);
        }
        for (LaneCalls& lane : lanes_)
            while (!lane.over()) go_on(lane);
        if (lanes_.empty()) return;
        calls_.begin = lanes_.front().begin();
        calls_.end = lanes_.front().end();
        calls_.ends_in = end_of_run(file_.definitions());
        calls_.computed = lanes_.front().computed_until(calls_.end);
        for (const LaneCalls& lane : lanes_) calls_.threads = sum_of(calls_.threads, lane.end() - lane.begin());
    }

  private:
    void at_event(std::size_t i) {
        Event& event = rank_.events[i];
        const bool given = is_given(event.role());
        CallFacts& facts = calls_.facts[i];
        if (event.role() == Role::receive) facts.until = within_reach(posts_.at(static_cast<Ticks>(facts.until)));
        facts.enter = event.stamp;
        bool found = false;
        for (LaneCalls& lane : lanes_) {
            while (!lane.over() && lane.record().leave < event.tick) go_on(lane);
            // A call may begin at the tick at which the call before it ended.
            if (!lane.holds(event.tick, given) && !lane.over() && given && lane.record().leave == event.tick)
                go_on(lane);
            if (!found && lane.holds(event.tick, given)) {
                found = true;
                event.stamp = given ? lane.enter() : lane.leave();
                take(facts, event, lane, i);
            }
        }
        if (!lanes_.empty()) facts.computed = lanes_.front().computed_until(event.stamp);
    }

    void take(CallFacts& facts, const Event& event, const LaneCalls& lane, std::size_t i) {
        const Record& record = lane.record();
        facts.place = place({record.what.place, function_of(event, record, lane.words())});
        const Shape shape = shape_of(record.what.function);
        facts.enter = is_given(event.role()) ? lane.enter() : lane.since();
        if (!calls_.lanes.empty()) calls_.lanes[i] = lane.number();
        if (is_given(event.role())) calls_.bytes[i] = moved_by(event, record, lane.words());
        if (event.role() != Role::send) return;
        facts.until = facts.enter;
        facts.completion = facts.place;
        const bool begun = mode_of(record.what.function) != Mode::blocking || starts_persistent(shape);
        if (begun)
            open_[event.number] = i;
        else if (shape == Shape::send)
            facts.until = lane.leave();
    }

    // MPI_Start of a collective counts as the call that prepared the collective.
    static Function function_of(const Event& event, const Record& record, Words words) {
        Function function = record.what.function;
        if (is_enter(event.role()) && starts_persistent(shape_of(function)))
            each_start(record, words, [&](const Started& started) {
                if (pattern_of(shape_of(started.function)) != Pattern::none) function = started.function;
            });
        return function;
    }

    // For a collective: the largest block.
    static std::uint64_t moved_by(const Event& event, const Record& record, Words words) {
        std::uint64_t bytes = record.what.bytes;
        if (starts_persistent(shape_of(record.what.function)))
            each_sent(record, words, [&](const SentMessage& sent) {
                if (sent.request == event.number) bytes = sent.bytes;
            });
        if (!is_collective(record.what.function)) return bytes;
        const std::vector<ByteVector> vectors = byte_vectors_of(words);
        if (vectors.empty() || vectors.front().bytes.empty()) return bytes;
        return *std::max_element(vectors.front().bytes.begin(), vectors.front().bytes.end());
    }

    void go_on(LaneCalls& lane) {
        const Record& record = lane.record();
        const Signature& what = record.what;
        if (!open_.empty() && completes_requests(shape_of(what.function)) && !what.has(flag::repeated) &&
            !what.has(flag::failed) && !what.has(flag::unfinished))
            complete(lane);
        if (calls_.with_locks && (what.function == Function::Win_lock || what.function == Function::Win_unlock))
            keep_lock(lane);
        lane.next();
    }

    // A call that completes receives or collectives together with sends counts as a wait for the receives or
    // collectives.
    void complete(const LaneCalls& lane) {
        std::vector<std::size_t>& sent = sent_;
        sent.clear();
        bool takes = false;
        each_completion(lane.record(), lane.words(), [&](const Completion& done) {
            const auto known = open_.find(done.request);
            if (known == open_.end()) {
                const bool nothing_came = done.received && done.source < 0; // from MPI_PROC_NULL, or canceled
                takes = takes || !nothing_came;
                return;
            }
            sent.push_back(known->second);
            open_.erase(known);
        });
        if (takes) return;
        for (const std::size_t i : sent) {
            calls_.facts[i].enter = lane.since();
            calls_.facts[i].until = lane.leave();
            calls_.facts[i].completion = place({lane.record().what.place, lane.record().what.function}) |
                                         (sent.size() > 1 ? CallFacts::others_too : 0);
        }
    }

    void keep_lock(const LaneCalls& lane) {
        const Signature& what = lane.record().what;
        const Comm* const comm = file_.comm(what.comm);
        const std::int64_t target = comm == nullptr ? -1 : comm->world_rank(what.peer);
        const std::vector<SharedObject>& windows = file_.definitions().windows;
        const auto window = std::find_if(windows.begin(), windows.end(), [&](const SharedObject& object) {
            return static_cast<std::int32_t>(object.number) == what.tag;
        });
        if (target < 0 || window == windows.end() || what.has(flag::failed) || what.has(flag::unfinished)) return;
        calls_.locks.push_back({.window = window->identity,
                                .target = static_cast<std::uint32_t>(target),
                                .unlocks = what.function == Function::Win_unlock,
                                .enter = lane.enter(),
                                .leave = lane.leave(),
                                .computed = lanes_.front().computed_until(lane.enter()),
                                .place = {what.place, what.function}});
    }

    std::uint32_t place(const CallPlace& place) {
        if (place == last_place_) return last_;
        const auto [at, fresh] = known_.try_emplace(place, static_cast<std::uint32_t>(calls_.places.size()));
        if (fresh) calls_.places.push_back(place);
        last_place_ = place;
        return last_ = at->second;
    }

    RankEvents& rank_;
    const RankFile& file_;
    RankCalls& calls_;
    const std::function<bool()>& stop_;
    ClockCursor posts_;
    std::vector<LaneCalls> lanes_;
    ByNumber<std::size_t> open_; // events of messages that were begun and not yet completed, by request
    std::vector<std::size_t> sent_;
    struct Hash {
        std::size_t operator()(const CallPlace& place) const {
            return Mixed{}(place.address ^ static_cast<std::uint64_t>(place.function) << 48);
        }
    };
    tsl::robin_map<CallPlace, std::uint32_t, Hash> known_; // indices in RankCalls::places
    CallPlace last_place_;
    std::uint32_t last_ = 0;
};

} // namespace

bool keep_posts(const RankEvents& rank, const PagingTo& paging, RankCalls& calls) {
    calls.facts = PagedList<CallFacts>{paging};
    calls.bytes = PagedList<std::uint64_t>{paging};
    calls.lanes = PagedList<std::uint32_t>{paging};
    if (!rank.lanes.empty()) calls.only_lane = rank.lanes.front();
    const bool several = rank.lanes.size() > 1;
    for (const Event& event : rank.events)
        if (!calls.facts.push_back({.until = event.role() == Role::receive ? event.stamp : 0}) ||
            !calls.bytes.push_back(0) || (several && !calls.lanes.push_back(calls.only_lane)))
            return false;
    calls.facts.close();
    calls.bytes.close();
    calls.lanes.close();
    return true;
}

void find_calls(RankEvents& rank, const RankFile& file, const ClockOfLane& clock, RankCalls& calls,
                const std::function<bool()>& stop) {
    FindingCalls{rank, file, clock, calls, stop}.run();
}

} // namespace tactus
