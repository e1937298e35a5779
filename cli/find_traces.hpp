// Finds the traces of one `tactus run`. Every rank file names the run that started it. So an older trace of the same
// program, or a trace that another job writes at the same time, is never mistaken for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tactus {

// Returns the traces (NAME.tactus) in `folder` whose run is `token`, newest first. There are several when a program
// spawned others or the command started several MPI programs.
std::vector<std::string> find_traces(const std::filesystem::path& folder, const std::string& token);

// Returns 16 random hexadecimal digits.
std::string new_run_token();

} // namespace tactus
