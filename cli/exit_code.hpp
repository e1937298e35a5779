// What the command's exit status means; `tactus --help` and docs/commands.md say the same.
#pragma once

namespace tactus::exit_code {

constexpr int fine = 0;
constexpr int fault = 1;  // the trace or the world: missing, cut, damaged, newer, no permission, disk full
constexpr int usage = 2;  // the command line
constexpr int beyond = 3; // `tactus check`: a limit that was asked for is exceeded

} // namespace tactus::exit_code
