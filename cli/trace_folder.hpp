// The folder in which the trace of a `tactus run` will lie. The user may choose it by an option. Otherwise it is the
// current folder, and the ranks must be told so, since a launcher may start them in another folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tactus {

struct TraceFolder {
    std::filesystem::path path;
    std::string prefix; // value of VT_LOGFILE_PREFIX for the ranks; empty when the user has set it
};

// Looks for the options in the environment, in `command` (mpirun -x VT_LOGFILE_PREFIX=...), and in the file that
// VT_CONFIG names.
TraceFolder choose_trace_folder(const std::vector<std::string>& command);

// Returns the value of an option such as LOGFILE_PREFIX in the text of a configuration file, or an empty string.
std::string option_in_config(const std::string& text, const std::string& name);

} // namespace tactus
