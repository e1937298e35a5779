#include "postproc/compensate/lane_delays.hpp"

#include "piggyback/delay.hpp"
#include "trace/run_ends.hpp"

#include <algorithm>

namespace tactus {
namespace {

bool is_call(const Record& record) { return record.what.kind == Kind::call; }

} // namespace

double starting_ns(const RankFile& file) {
    double ns = 0;
    for (const Totals& totals : file.definitions().totals) ns += 1e9 * file.seconds(totals.starting);
    return ns;
}

double measured_ns(const RankFile& file, const Record& record) {
    const bool round =
        record.what.kind == Kind::sync && record.what.type != static_cast<std::uint32_t>(RoundReason::init);
    const bool tracers = round || record.what.kind == Kind::stretch;
    return tracers && record.leave > record.enter ? 1e9 * file.seconds(record.leave - record.enter) : 0;
}

LaneDelays::LaneDelays(std::size_t rank, const RankFile& file, const ProcessClock& clock, LaneBlocks blocks,
                       const RecordCosts& costs, const TakeDelayed& take)
    : rank_{rank}, file_{file}, costs_{costs}, take_{take}, walk_{file, blocks}, enters_{clock} {
    over_ = !find_call();
}

LaneDelays::Seen LaneDelays::call() const { return {walk_.record(), walk_.words(), walk_.sealed()}; }

GlobalTime LaneDelays::entered() {
    if (!entered_) entered_ = within_reach(enters_.at(enter()));
    return *entered_;
}

GivenTimes LaneDelays::given() { return {entered(), entered() - within_reach(time_of_ns(at_work_))}; }

void LaneDelays::take(const GivenTimes& given, bool of_collective) {
    taken_ = GivenTimes::later(taken_, given);
    took_of_collective_ = took_of_collective_ || of_collective;
}

void LaneDelays::go_on() {
    if (taken_.measured != GivenTimes::never)
        delay_ =
            delay_after_messages(delay_, 0, to_ns(taken_.measured - entered()), to_ns(taken_.undelayed - entered()));
    collectives_ += took_of_collective_ ? 1 : 0;
    taken_ = {};
    took_of_collective_ = false;
    end(call(), at_enter_);
    over_ = !find_call();
}

// Goes to the next call that is not nested in another one, and returns false when there is none. Nested calls are
// stored before the call around them and lie within its time. They are kept until that call is found, and they give and
// take nothing.
bool LaneDelays::find_call() {
    std::vector<Stored> inside;
    const auto pass = [&](const Seen& seen) {
        begin(seen);
        end(seen, at_enter_);
    };
    while (walk_.next()) {
        const Seen seen{walk_.record(), walk_.words(), walk_.sealed()};
        const bool nested = is_call(seen.record) && seen.record.what.has(flag::nested);
        if (nested || (!inside.empty() && !is_call(seen.record))) {
            inside.push_back({seen.record, {seen.words.begin(), seen.words.end()}, seen.sealed});
        } else if (!is_call(seen.record)) {
            pass(seen);
        } else {
            begin(seen);
            entered_.reset();
            const double at_enter = at_enter_;
            const double at_work = at_work_;
            for (const Stored& stored : inside) pass({stored.record, stored.words, stored.sealed});
            at_enter_ = at_enter;
            at_work_ = at_work;
            return true;
        }
    }
    // The outer call of these never returned.
    for (const Stored& stored : inside) pass({stored.record, stored.words, stored.sealed});
    return false;
}

void LaneDelays::begin(const Seen& seen) {
    delay_ += costs_.before(seen.record, seen.sealed);
    at_enter_ = delay_;
    delay_ += costs_.before_work(seen.record, seen.words);
    at_work_ = delay_;
    delay_ += costs_.inside(seen.record);
}

void LaneDelays::end(const Seen& seen, double at_enter) {
    const Record& record = seen.record;
    const bool begins = begins_run(record.what);
    delay_ += measured_ns(file_, record);
    if (begins) at_enter = delay_ = 0;
    if (record.what.kind == Kind::delay) ++notes_;
    take_({.rank = rank_,
           .lane = walk_.lane(),
           .record = record,
           .words = seen.words,
           .at_enter = at_enter,
           .at_leave = delay_});
    if (begins) delay_ = starting_ns(file_);
    delay_ += costs_.after(record, seen.words);
}

} // namespace tactus
