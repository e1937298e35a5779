// Runs a planned command line as the user's shell would have: same terminal, same files, same end.
#pragma once

#include "cli/launch/launcher.hpp"

#include <string>

namespace tactus {

struct Ended {
    int code = 0;   // what `tactus run` exits with: the command's, 128 + signal, 127 not found, 126 not startable
    int signal = 0; // that killed the command, 0 when none did
    double wall_seconds = 0; // from start to end of the command
    std::string problem{};   // one line (without "tactus: ") when the command could not be started
};

// Waits for the end. Meanwhile SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 sent to this process are passed on, except
// those that the terminal itself raised: those reach the command without our help. Signals that this process ignores
// (nohup) stay ignored, in the command too. The process has one thread, or the others block these signals.
[[nodiscard]] Ended execute(const Arguments& command);

} // namespace tactus
