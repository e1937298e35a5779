// Counts what a trace lacks, by name, over all ranks. A rank that closed its file left totals. For any other rank the
// loss records that it wrote before its end are added up.
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

// Gives every named loss, also those with a count of 0. Losses that only a newer tactus can name are called "loss N".
std::vector<LossCount> count_losses(const Trace& trace);

} // namespace tactus
