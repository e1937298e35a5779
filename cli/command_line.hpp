// The command line of `tactus`: every subcommand and option, in one place. The only part that knows CLI11.
#pragma once

namespace tactus {

// Does what the words ask for; gives the exit status (cli/exit_code.hpp). A wrong command line is one line and
// status 2.
int run_command_line(int argc, char** argv);

} // namespace tactus
