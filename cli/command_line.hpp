// The command line of `tactus`, with every subcommand and option. Only this and command_line_parts use CLI11.
#pragma once

namespace tactus {

// Runs the subcommand that the arguments ask for, and returns the exit status (cli/exit_code.hpp). A wrong command line
// prints one line and returns 2.
int run_command_line(int argc, char** argv);

} // namespace tactus
