// How every subcommand reports errors, one line each on standard error, and how it writes text, files and JSON.
#pragma once

#include "base/result.hpp"
#include "trace/rank_file.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tactus {

// Prints "tactus: FILE: byte N: what (advice)" and returns exit_code::fault.
int fail(const Error& error);
// Prints "tactus: what" and returns exit_code::usage.
int misused(const std::string& what);

// Prints a line for each of the first problems, and how many more there are. Returns exit_code::fault if there are any.
int tell(const std::vector<Error>& problems);

// Makes text from a file safe for the terminal: control characters and invalid UTF-8 become '?'.
std::string printable(const std::string& text);

Outcome write_file(const std::string& path, const std::string& content);

// Returns the JSON in ASCII. Invalid UTF-8 is replaced.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);
// Of what --json prints. New keys do not raise it; it is raised where keys go away or mean something else.
inline constexpr int json_version = 1;
// Prints an object, with the version as its first key.
void print_json(const nlohmann::ordered_json& json);

// Returns `status`. If standard output could not be written (for example because the disk is full), prints a line and
// returns exit_code::fault.
int flush_output(int status);

} // namespace tactus
