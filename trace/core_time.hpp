// What a thread did with its time, by what the operating system counted in its stretches (trace/stretch.hpp). Pure.
//
// The system is asked less often how long a thread had no core. What it says then is spread over the stretches since it
// was last asked, in proportion to how long the thread was not on a core in each.
#pragma once

#include "trace/processor_counts.hpp"
#include "trace/stretch.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace tactus {

// Seconds of threads.
struct CoreTime {
    double ran_s = 0;      // on a core
    double waited_s = 0;   // able to run, without a core
    double asleep_s = 0;   // not able to run
    double off_core_s = 0; // one of the last two: the system was not asked which
    double system_s = 0;   // the part of ran_s in the kernel
    double page_faults = 0;
    double major_faults = 0;     // those of them that had to read from a disk
    ProcessorCounts counts = {}; // of the part of ran_s outside of the kernel, or of less

    [[nodiscard]] double total_s() const { return ran_s + waited_s + asleep_s + off_core_s; }
    // Whether the processor counted enough of it to stand for all.
    [[nodiscard]] bool counted() const {
        constexpr double enough = 0.8;
        return counts.known() && counts.user_s >= enough * (ran_s - system_s);
    }
    CoreTime& operator+=(const CoreTime& more);
    CoreTime& operator-=(const CoreTime& less);
    [[nodiscard]] CoreTime times(double factor) const;
};

// The time of a stretch that took `length_s`. What the thread did while it was not on a core is not told yet.
// Without counts of the processor.
CoreTime core_time(const Stretch& stretch, double length_s);

// So many stretches are kept at most until the system is asked.
constexpr std::size_t most_untold = 1 << 12;

// The system says that the thread had no core for `waited_s` in these stretches. `time_of` gives the CoreTime of each.
template <class Stretches, class TimeOf> void tell_waited(Stretches& stretches, TimeOf time_of, double waited_s) {
    double off_core_s = 0;
    for (auto& known : stretches) off_core_s += std::invoke(time_of, known).off_core_s;
    const double share = off_core_s > 0 ? std::min(waited_s / off_core_s, 1.0) : 0;
    for (auto& known : stretches) {
        CoreTime& time = std::invoke(time_of, known);
        time.waited_s = share * time.off_core_s;
        time.asleep_s = time.off_core_s - time.waited_s;
        time.off_core_s = 0;
    }
}

// The stretches of a thread in their order, each of which is handed on when it is known what the thread did in it, or
// that this will not be known. `Known` has a CoreTime `time`.
template <class Known> class StretchesInOrder {
  public:
    // Calls `take(known)` for the stretches that are known now.
    template <class Take> void add(const Known& known, const Stretch& stretch, const Take& take) {
        untold_.push_back(known);
        if (stretch.waited_ns >= 0) tell_waited(untold_, &Known::time, 1e-9 * static_cast<double>(stretch.waited_ns));
        if (stretch.waited_ns >= 0 || untold_.size() >= most_untold) finish(take);
    }
    // After the last one. The system was not asked about those that are left.
    template <class Take> void finish(const Take& take) {
        for (const Known& known : untold_) take(known);
        untold_.clear();
    }

  private:
    std::vector<Known> untold_; // since the system was last asked
};

} // namespace tactus
