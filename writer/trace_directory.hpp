// Where a trace goes: its name from the options and the program's, a directory of that name that did not exist before.
#pragma once

#include "base/options/options.hpp"
#include "base/result.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <string>

namespace tactus {

struct TraceName {
    std::string program; // "app"
    std::string path;    // absolute, ends in ".tactus"
};
TraceName trace_name(const Options& options);

// Makes name.path, or its numbered neighbor (app-2.tactus, app-3.tactus, ...) if that exists, with the folders for
// `ranks` rank files. Gives the directory made.
Result<std::string> make_trace_directory(const TraceName& name, std::uint32_t ranks);

// The folders above a file, which another rank may have made and this host not seen yet.
void make_parents(const std::string& file);

std::string absolute(const std::string& path);
std::uint64_t random_number();

} // namespace tactus
