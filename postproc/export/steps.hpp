// What happened on a rank, in the order in which it happened, with the times that an export was asked for. Calls and
// regions give two steps, their beginning and their end; every other record gives one. Records are stored in the order
// of their ends, so records that enclose others are looked for ahead.
//
// Memory: one block of each thread of one rank, and for each block the records that enclose its end. It does not grow
// with the trace.
#pragma once

#include "postproc/compensate/delay_lines.hpp"
#include "trace/lane_walk.hpp"
#include "trace/nccl.hpp"
#include "trace/rank_file.hpp"

#include <deque>
#include <functional>
#include <vector>

namespace tactus {

// Converts a rank's ticks to the times that are exported: units of global time since `begin`.
class StepClock {
  public:
    StepClock(GlobalTime begin, const DelayLines* delays) : begin_{begin}, delays_{delays} {}
    [[nodiscard]] GlobalTime begin() const { return begin_; }
    // nullptr: no delay is taken off.
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

// A step of a lane. `record` and `words` are valid until the next step of that lane.
struct ExportStep {
    StepKind kind{};
    std::uint32_t lane = 0;
    std::uint64_t time = 0; // never less than that of the step before on the same lane
    Ticks tick = 0;
    const Record* record = nullptr;
    Words words;
};

// The steps of one lane.
class LaneSteps {
  public:
    LaneSteps(const RankFile& file, LaneBlocks blocks, const StepClock& clock);

    // Goes to the next step. Returns false if there is none.
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
    bool more_ = false; // the walk is at a record that is not held yet
    std::uint64_t number_ = 0;
    Ticks batch_begin_ = 0;         // where the previous batch ended
    std::deque<HeldRecord> around_; // records that begin before their batch, by number
    std::vector<HeldRecord> batch_;
    std::size_t held_ = 0; // used items of batch_; the others are kept to be used again
    std::vector<Edge> edges_;
    std::size_t next_edge_ = 0;
    std::uint64_t last_time_ = 0;
    ExportStep step_;
};

// Takes every step of a rank, by tick and then by lane. The order is that of the rank's clock, also where delays are
// taken off. Adds an error to `unreadable` for each part that had to be skipped.
using TakeStep = std::function<void(const ExportStep&)>;
void for_each_step(const RankFile& file, const StepClock& clock, const TakeStep& take, std::vector<Error>& unreadable);

// The earliest time in a trace, rounded down to a whole nanosecond.
GlobalTime begin_of(const Trace& trace);

// Whether this record is the one to draw on its row; other records of NCCL say the same of the same time.
inline bool is_drawn_nccl(const Record& record) {
    return record.what.kind == Kind::nccl && NcclTag::of(record.what.tag).has(NcclTag::drawn);
}

// Whether the record has a beginning and an end, between which other steps may lie.
inline bool is_span(const Record& record) {
    return record.what.kind == Kind::call || record.what.kind == Kind::region || is_drawn_nccl(record);
}

} // namespace tactus
