// How long a thread was able to run and had no core, for pictures: added up by slots. What is known of a stretch
// (trace/core_time.hpp) is spread evenly over its time. Pure.
#pragma once

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "trace/core_time.hpp"
#include "trace/rank_file.hpp"
#include "trace/time_map.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tactus {

struct NoCoreSum {
    std::int64_t slot = 0;
    GlobalTime time = 0; // without a core; more than 0
    bool operator==(const NoCoreSum&) const = default;
};

// The sums of one slot width, ordered by slot.
struct NoCoreLevel {
    unsigned width_bits = 0;
    std::vector<NoCoreSum> sums;
};

// Adds up times without a core in slots of 2^20 units (0.13 ms), 2^22, 2^24 ...: in the narrowest with which there are
// at most `most` sums. Stretches mostly last a millisecond or longer, so narrower slots would say no more.
class NoCoreSums {
  public:
    explicit NoCoreSums(std::size_t most) : most_{most} {}

    // Between these times the thread had no core for `share` of the time. Times are added from the last to the first.
    void add(GlobalTime from, GlobalTime to, double share);
    // Gives the levels, the narrowest first. Each has slots four times as wide as the one before, until there are few
    // sums or slots. There is no level when the thread always had a core.
    std::vector<NoCoreLevel> take();

  private:
    void add_to(std::int64_t slot, GlobalTime time);
    void widen();
    std::size_t most_;
    std::vector<NoCoreSum> sums_; // the last slot first
    unsigned width_bits_ = 20;
    GlobalTime first_ = std::numeric_limits<GlobalTime>::max();
    GlobalTime last_ = std::numeric_limits<GlobalTime>::min();
};

// Finds the times without a core in a lane, whose blocks are given from the last to the first.
class NoCoreBackward {
  public:
    NoCoreBackward(const RankFile& file, const ProcessClock& clock, NoCoreSums& sums)
        : file_{file}, clock_{clock}, sums_{sums} {}
    void add(const TimedBlock& block);
    void finish(); // after the first block

  private:
    struct Known {
        Ticks from = 0;
        Ticks to = 0;
        CoreTime time;
    };
    void add(Ticks at, const Stretch& stretch);

    const RankFile& file_;
    const ProcessClock& clock_;
    NoCoreSums& sums_;
    std::optional<double> told_s_; // without a core, in all of `told_`; empty: the system was not asked after that
    std::vector<Known> told_;
};

// Turn the sums of a lane, ordered by slot, into bytes and back.
Bytes encode(std::span<const NoCoreSum> sums);
Result<std::vector<NoCoreSum>> decode_no_core(ByteView bytes, unsigned width_bits);

} // namespace tactus
