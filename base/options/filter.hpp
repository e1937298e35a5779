// Which functions are recorded on which ranks, by VT_STATE, VT_SYMBOL, VT_ACTIVITY and VT_PROCESS as Options took them
// (its complaints say what was wrong with them). Used at the start of the run, before the first record.
#pragma once

#include "base/options/options.hpp"
#include "base/options/rules.hpp"

#include <cstdint>
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

// The state that the last VT_PROCESS rule gives to the rank, of `ranks` in all; on when no rule names it.
ProcessState state_of_process(const Options& options, std::uint64_t rank, std::uint64_t ranks);

} // namespace tactus
