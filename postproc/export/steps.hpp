// What happened on a rank, in the order in which it happened: calls and regions as their beginning and their end, all
// else as one instant, with the time that an export was asked for. Records lie in the order of their ends, so what is
// around others is looked for ahead.
//
// Memory: one block of each thread of one rank, and for each block what is around its end; it does not grow with the
// trace.
#pragma once

#include "postproc/compensate/delay_lines.hpp"
#include "trace/lane_walk.hpp"
#include "trace/nccl.hpp"
#include "trace/rank_file.hpp"

#include <deque>
#include <functional>
#include <vector>

namespace tactus {

// From a rank's ticks to the time that is exported: units of global time since `begin`.
class StepClock {
  public:
    StepClock(GlobalTime begin, const DelayLines* delays) : begin_{begin}, delays_{delays} {}
    [[nodiscard]] GlobalTime begin() const { return begin_; }
    // nullptr: nothing is taken off.
    [[nodiscard]] const DelayLine* delay_of(std::uint32_t rank, std::uint32_t lane) const;
    [[nodiscard]] std::uint64_t at(const RankFile& file, const DelayLine* delay, Ticks tick) const;

  private:
    GlobalTime begin_;
    const DelayLines* delays_;
};

struct HeldRecord {
    Record record;
    std::vector<std::int64_t> words;
    std::uint64_t number = 0; // in its lane
};

enum class StepKind : std::uint8_t { enter, leave, instant };

struct ExportStep {
    StepKind kind{};
    std::uint32_t lane = 0;
    std::uint64_t time = 0; // never less than that of the step before on the same lane
    Ticks tick = 0;
    const Record* record = nullptr;
    Words words;
};

// Of one lane.
class LaneSteps {
  public:
    LaneSteps(const RankFile& file, LaneBlocks blocks, const StepClock& clock);

    // Goes to the next one; false when there is none.
    [[nodiscard]] bool next();
    [[nodiscard]] const ExportStep& step() const { return step_; }
    [[nodiscard]] const std::vector<Error>& unreadable() const { return walk_.unreadable(); }

  private:
    struct Edge {
        StepKind kind{};
        Ticks tick = 0;
        const HeldRecord* held = nullptr;
    };
    void find_around(LaneBlocks blocks);
    bool load();
    void hold_batch();
    void order_batch();
    [[nodiscard]] std::uint64_t time_of(Ticks tick);

    const RankFile* file_;
    const StepClock* clock_;
    const DelayLine* delay_;
    LaneWalk walk_;
    bool looked_ahead_ = false;
    bool more_ = false; // the walk stands at a record that is not held yet
    std::uint64_t number_ = 0;
    Ticks batch_begin_ = 0;         // where the batch before ended
    std::deque<HeldRecord> around_; // records that begin in front of their batch, by number
    std::vector<HeldRecord> batch_;
    std::size_t held_ = 0; // of batch_; the rest is room that is used again
    std::vector<Edge> edges_;
    std::size_t next_edge_ = 0;
    std::uint64_t last_time_ = 0;
    ExportStep step_;
};

// Every step of a rank, by tick and then lane: as its clock had it, also where delays are taken off. Adds to
// `unreadable` what had to be passed over.
using TakeStep = std::function<void(const ExportStep&)>;
void for_each_step(const RankFile& file, const StepClock& clock, const TakeStep& take, std::vector<Error>& unreadable);

// The earliest time of a trace: nothing of it is before. A whole nanosecond.
GlobalTime begin_of(const Trace& trace);

// On its row; other records of NCCL say the same of the same time.
inline bool is_drawn_nccl(const Record& record) {
    return record.what.kind == Kind::nccl && NcclTag::of(record.what.tag).has(NcclTag::drawn);
}

// Has a beginning and an end that other steps may lie between.
inline bool is_span(const Record& record) {
    return record.what.kind == Kind::call || record.what.kind == Kind::region || is_drawn_nccl(record);
}

} // namespace tactus
