// Follows the delay of one thread through its records. The cost of each record adds to it, and the caller says what the
// current call took from messages and collectives. Used by one thread. The steps of a call:
//
//   at_enter   The call begins. What it costs before the MPI works is added next.
//   given()    The MPI begins to work. What the call gives to others is as late as the thread is now.
//   take()     Called once for each thing that the call takes from others.
//   go_on()    The call ends with the delay at_leave. What it costs from then on is added next.
#pragma once

#include "postproc/compensate/compensate.hpp"
#include "postproc/compensate/record_costs.hpp"
#include "trace/lane_walk.hpp"
#include "trace/shift_map.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace tactus {

// When something was given, and when it would have been given without the tracer.
struct GivenTimes {
    static constexpr GlobalTime never = std::numeric_limits<GlobalTime>::min() / 2;
    GlobalTime measured = never;
    GlobalTime undelayed = never;
    // A call that waits for both waits for the later one.
    static GivenTimes later(const GivenTimes& a, const GivenTimes& b) {
        return {std::max(a.measured, b.measured), std::max(a.undelayed, b.undelayed)};
    }
    [[nodiscard]] GivenTimes after(GlobalTime latency) const { return {measured + latency, undelayed + latency}; }
};

class LaneDelays {
  public:
    // `rank`: index into Trace::ranks. All arguments that are references or spans must outlive this object.
    LaneDelays(std::size_t rank, const RankFile& file, const ProcessClock& clock, LaneBlocks blocks,
               const RecordCosts& costs, const TakeDelayed& take);

    [[nodiscard]] std::uint32_t lane() const { return walk_.lane(); }
    [[nodiscard]] bool over() const { return over_; } // no call is left
    // Of the current call, which exists until over().
    [[nodiscard]] Ticks enter() const { return call().record.enter; }
    [[nodiscard]] Ticks leave() const { return call().record.leave; }
    [[nodiscard]] GivenTimes given();
    void take(const GivenTimes& given, bool of_collective);
    // Ends the current call and begins the next one. Records between the two add their costs as well.
    void go_on();

    // How many calls took something from a collective.
    [[nodiscard]] std::uint64_t collectives() const { return collectives_; }
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
    GlobalTime entered();
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
    double delay_ = 0; // after all costs so far, in nanoseconds

    std::optional<GlobalTime> entered_; // of the current call, once somebody asked for it
    double at_enter_ = 0;
    double at_work_ = 0; // the delay when the MPI began
    GivenTimes taken_;
    bool took_of_collective_ = false;

    std::uint64_t collectives_ = 0;
    std::uint64_t notes_ = 0;
};

// What the tracer did when the recording began. That belongs to no call: the delay is 0 until the call ends at which it
// began, and this from then on.
double starting_ns(const RankFile& file);
// Returns the measured duration of a clock round that took place while the program ran; 0 for any other record.
double measured_ns(const RankFile& file, const Record& record);

} // namespace tactus
