// What is recorded on which ranks, by VT_STATE, VT_SYMBOL, VT_ACTIVITY, VT_COUNTER and VT_PROCESS as Options took them
// (its complaints say what was wrong with them). Used at the start of the run, before the first record.
#pragma once

#include "base/counted_events.hpp"
#include "base/options/options.hpp"
#include "base/options/rules.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace tactus {

class Filter {
  public:
    static Filter read(const Options& options);

    // Whether calls of a function are recorded, as in records("MPI", "MPI_Send"). The last rule that matches decides;
    // without one the calls are recorded.
    [[nodiscard]] bool records(std::string_view activity, std::string_view symbol) const;

  private:
    std::vector<StateRule> rules_;
};

// Which counters are recorded, by VT_COUNTER.
class CounterRules {
  public:
    static CounterRules read(const Options& options);
    // What the last rule that matches one of the names of a counter says; `otherwise` without one.
    [[nodiscard]] bool records(std::initializer_list<std::string_view> names, bool otherwise) const;

  private:
    std::vector<StateRule> rules_;
};

// The counters of the processor and the system that are switched on, in the order of their table. There may be more
// than most_counters.
std::vector<const CountedEvent*> events_to_count(const Options& options);

// The state that the last VT_PROCESS rule gives to the rank, of `ranks` in all; on when no rule names it.
ProcessState state_of_process(const Options& options, std::uint64_t rank, std::uint64_t ranks);

} // namespace tactus
