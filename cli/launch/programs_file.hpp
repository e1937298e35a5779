// The file of srun's --multi-prog, whose lines are `RANKS PROGRAM ARGUMENTS...`.
#pragma once

#include "cli/launch/surroundings.hpp"

#include <filesystem>
#include <vector>

namespace tactus {

// Returns the words of each line from its program on, and nothing if the file cannot be read.
[[nodiscard]] std::vector<Arguments> read_programs_file(const std::filesystem::path& file);

} // namespace tactus
