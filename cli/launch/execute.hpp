// Runs a planned command line as the user's shell would have done: on the same terminal, with the same files, and with
// the same exit status.
#pragma once

#include "cli/launch/launcher.hpp"

#include <string>

namespace tactus {

struct Ended {
    int code = 0;   // exit status of `tactus run`: the command's, 128 + signal, 127 not found, or 126 not startable
    int signal = 0; // the signal that killed the command, or 0
    double wall_seconds = 0; // from start to end of the command
    std::string problem{};   // one line (without "tactus: ") when the command could not be started
};

// Runs the command and waits for its end. While it waits, it passes on SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2
// that are sent to this process. It does not pass on signals that the terminal raised, because these reach the command
// anyway. Signals that this process ignores (nohup) stay ignored, in the command too. The process must have one thread,
// or its other threads must block these signals.
[[nodiscard]] Ended execute(const Arguments& command);

} // namespace tactus
