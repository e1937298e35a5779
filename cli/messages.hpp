// What every subcommand does alike with what went wrong: one line each on standard error, and the exit status for it.
#pragma once

#include "base/result.hpp"
#include "trace/rank_file.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tactus {

// Prints "tactus: FILE: byte N: what (advice)"; gives exit_code::fault.
int fail(const Error& error);
// Prints "tactus: what"; gives exit_code::usage.
int misused(const std::string& what);

// A line for each problem (a few, then how many more), and exit_code::fault if there was any.
int tell(const std::vector<Error>& problems);

// Names and the like come from files: no control character of theirs reaches the terminal, and what is no character
// at all is a '?'.
std::string printable(const std::string& text);

Outcome write_file(const std::string& path, const std::string& content);

// In ASCII, with what is no character replaced.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);
void print_json(const nlohmann::ordered_json& json);

// exit_code::fault with a line when what was printed could not be written (disk full, say), else `status`.
int flush_output(int status);

} // namespace tactus
