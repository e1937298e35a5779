// Where a trace goes: its name, which comes from the options and the program, and a new directory of that name.
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

// Makes the directory name.path or, if that exists, a numbered neighbor (app-2.tactus, app-3.tactus, ...), with the
// folders for `ranks` rank files. Gives the directory's path.
Result<std::string> make_trace_directory(const TraceName& name, std::uint32_t ranks);

// Makes the folders above a file. Another rank may have made them, and this host may not see them yet.
void make_parents(const std::string& file);

// The path as seen from the folder that VT_CURRENT_DIR names, or else the process runs in.
std::string absolute(const std::string& path, const Options& options);
std::uint64_t random_number();

} // namespace tactus
