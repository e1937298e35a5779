// The exit statuses of the command. `tactus --help` and docs/commands.md list them, too.
#pragma once

namespace tactus::exit_code {

constexpr int fine = 0;
constexpr int fault = 1;  // the trace or the system is at fault: missing, cut, damaged, newer, no permission, disk full
constexpr int usage = 2;  // the command line is wrong
constexpr int beyond = 3; // `tactus check` or `tactus diff`: a given limit is exceeded

} // namespace tactus::exit_code
