// What is recorded of which function, on which rank: VT_STATE, VT_SYMBOL, VT_ACTIVITY and VT_PROCESS as Options took
// them (what was wrong with them is among its complaints). Asked at the start of the run, before the first record.
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

    // Whether calls of that function are recorded, as in records("MPI", "MPI_Send"): what the last rule that matches
    // says, on when none does.
    [[nodiscard]] bool records(std::string_view activity, std::string_view symbol) const;

  private:
    std::vector<StateRule> rules_;
};

// What the last VT_PROCESS rule that names the rank says; on when none does.
ProcessState state_of_process(const Options& options, std::uint64_t rank, std::uint64_t ranks);

} // namespace tactus
