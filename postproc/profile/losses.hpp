// What a trace does not hold, by name, over all ranks. A rank that closed its file left totals; of one that did not,
// the loss records it wrote before its end are added up.
#pragma once

#include "trace/rank_file.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct LossCount {
    std::string name;
    std::string meaning;
    std::uint64_t count = 0;
};

// Every named loss, zero or not; names that only a newer tactus knows are "loss N".
std::vector<LossCount> count_losses(const Trace& trace);

} // namespace tactus
