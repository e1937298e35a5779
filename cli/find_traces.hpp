// The traces of one `tactus run`: every rank file names the run that started it, so an older trace of the same program,
// or one that another job writes meanwhile, is never taken for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tactus {

// Traces (NAME.tactus) in `folder` whose run is `token`, the newest first; several when a program spawned others or the
// command started several MPI programs.
std::vector<std::string> find_traces(const std::filesystem::path& folder, const std::string& token);

// 16 random hexadecimal digits.
std::string new_run_token();

} // namespace tactus
