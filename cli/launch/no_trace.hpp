// What on a command line may have taken the tracer away from the ranks. Asked after a run that left no trace.
#pragma once

#include "cli/launch/launcher.hpp"

#include <string>
#include <vector>

namespace tactus {

// Returns a half sentence with what to do, or an empty text if nothing on the line is suspicious. It reads the programs
// and scripts of the line, and executes nothing.
[[nodiscard]] std::string suspect(const Arguments& argv, const std::vector<ProgramPart>& parts);

} // namespace tactus
