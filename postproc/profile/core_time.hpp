// What the threads of a rank did with their time: whether they were on a core, by what the operating system counted in
// each stretch (trace/stretch.hpp). Pure.
//
// How much of a stretch lies outside of MPI is known exactly, from the calls in it. What the system counted belongs to
// both parts in proportion to their times. A stretch that is long is nearly all of one kind, since a reading stands at
// both ends of each long call and of each long time outside of MPI.
#pragma once

#include "postproc/profile/window.hpp"
#include "trace/core_time.hpp"
#include "trace/processor_counters.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

// The time of a thread outside of MPI between two ticks of its rank.
struct TimeOutside {
    Ticks from = 0;
    Ticks to = 0;
    CoreTime time;
};

struct RankUse {
    CoreTime outside; // of MPI, of all threads of which stretches are known
    CoreTime inside;
    // Of the thread that called MPI_Init, in order of time. Of very many stretches neighbors are added up.
    std::vector<TimeOutside> first_thread;
};

// Adds up the stretches of one lane after the other.
class CoreTimeTally {
  public:
    CoreTimeTally(const TickWindow& window, const Definitions& definitions) : window_{window}, counters_{definitions} {}
    // `first_thread`: the lane is that of the thread that called MPI_Init.
    void begin_lane(bool first_thread) { first_thread_ = first_thread; }
    // The records before this tick are not read, or there are none before: 0.
    void begin_blocks(Ticks first) { since_ = first, in_mpi_ = 0; }
    // Takes the records of the lane in order.
    void add(const RankFile& file, const Record& record, Words words);
    void end_lane();
    [[nodiscard]] RankUse take() { return std::move(use_); }

  private:
    struct Known {
        Ticks from = 0;
        Ticks to = 0;
        double outside = 0; // the part of it that lies outside of MPI
        CoreTime time;      // with off_core_s, until the system says what that was
    };
    void store(const Known& known);

    TickWindow window_;
    NamedCounts counters_;
    RankUse use_;
    bool first_thread_ = false;
    Ticks since_ = 0;  // all calls since then are known
    Ticks in_mpi_ = 0; // since the last stretch
    StretchesInOrder<Known> stretches_;
};

// How much of the time of a thread between two instants lay outside of MPI, and what it did then. An instant within a
// stretch counts for its part.
class OutsideUntil {
  public:
    OutsideUntil() = default;
    OutsideUntil(const std::vector<TimeOutside>& stretches, const ProcessClock& clock);
    [[nodiscard]] CoreTime between(GlobalTime from, GlobalTime to) const;

  private:
    struct Knot {
        GlobalTime time = 0;
        CoreTime before; // all that lies before `time`
    };
    [[nodiscard]] CoreTime until(GlobalTime time) const;
    std::vector<Knot> knots_;
};

} // namespace tactus
