// The delay of one thread while its records are gone through: what they cost, and what messages and collectives make
// of it, which somebody else says. One thread.
//
//   at_enter   the call begins      what it costs before the MPI is at work
//   given()    the MPI is at work   what others are given is as late as this
//   take()     what others gave     as often as the call takes something
//   go_on()    the call ends        at_leave; what it costs from then on
#pragma once

#include "postproc/compensate/compensate.hpp"
#include "postproc/compensate/record_costs.hpp"
#include "trace/lane_walk.hpp"
#include "trace/shift_map.hpp"

#include <limits>
#include <vector>

namespace tactus {

// When something was given, and when it would have been without the tracer.
struct GivenTimes {
    static constexpr GlobalTime never = std::numeric_limits<GlobalTime>::min() / 2;
    GlobalTime measured = never;
    GlobalTime undelayed = never;
    // What waits for both waits for the later.
    static GivenTimes later(const GivenTimes& a, const GivenTimes& b) {
        return {std::max(a.measured, b.measured), std::max(a.undelayed, b.undelayed)};
    }
    [[nodiscard]] GivenTimes after(GlobalTime latency) const { return {measured + latency, undelayed + latency}; }
};

class LaneDelays {
  public:
    // `rank`: index into Trace::ranks. All outlive this.
    LaneDelays(std::size_t rank, const RankFile& file, const ProcessClock& clock, LaneBlocks blocks,
               const RecordCosts& costs, const TakeDelayed& take);

    [[nodiscard]] std::uint32_t lane() const { return walk_.lane(); }
    [[nodiscard]] bool over() const { return over_; }
    // The call that it is in.
    [[nodiscard]] Ticks enter() const { return call().record.enter; }
    [[nodiscard]] Ticks leave() const { return call().record.leave; }
    [[nodiscard]] GivenTimes given() const;
    void take(const GivenTimes& given, bool of_collective);
    // Ends it, and begins the next; what the thread does between the two costs time as well.
    void go_on();

    [[nodiscard]] std::uint64_t collectives() const { return collectives_; } // calls that took something of one
    [[nodiscard]] std::uint64_t notes() const { return notes_; }

  private:
    struct Stored {
        Record record;
        std::vector<std::int64_t> words;
        std::uint64_t sealed = 0;
    };
    struct Seen {
        const Record& record;
        Words words;
        std::uint64_t sealed = 0;
    };
    [[nodiscard]] Seen call() const;
    bool find_call();
    void begin(const Seen& seen);
    void end(const Seen& seen, double at_enter);

    std::size_t rank_;
    const RankFile& file_;
    const RecordCosts& costs_;
    const TakeDelayed& take_;
    LaneWalk walk_;
    ClockCursor enters_;
    bool over_ = false;
    double delay_ = 0; // so far

    GlobalTime entered_ = 0;
    double at_enter_ = 0;
    double at_work_ = 0; // the delay when the MPI began
    GivenTimes taken_;
    bool took_of_collective_ = false;

    std::uint64_t collectives_ = 0;
    std::uint64_t notes_ = 0;
};

// What a process does at MPI_Init belongs to no call: its delays begin where that ends.
bool begins_the_run(const Record& record);
double starting_ns(const RankFile& file);
// Of a clock round while the program ran: what it took, as it was measured.
double measured_ns(const RankFile& file, const Record& record);

} // namespace tactus
