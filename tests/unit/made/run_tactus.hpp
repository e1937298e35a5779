// Runs the command that was built.
#pragma once

#include <string>

namespace tactus {

// What the command printed, and how it exited.
struct CommandOutcome {
    int status = -1;
    std::string output;
    std::string errors;
};
CommandOutcome run_tactus(const std::string& arguments, const std::string& shell_before = {});

} // namespace tactus
