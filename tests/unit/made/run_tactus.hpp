// The command that was built, run by a test.
#pragma once

#include <string>

namespace tactus {

// Runs the command that was built; what it printed, and how it exited.
struct CommandOutcome {
    int status = -1;
    std::string output;
    std::string errors;
};
CommandOutcome run_tactus(const std::string& arguments, const std::string& shell_before = {});

} // namespace tactus
