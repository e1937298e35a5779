// The folder that the trace of a `tactus run` will lie in: what the user says by any of the ways there are, else the
// current one, which the ranks must then be told, since a launcher may start them elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tactus {

struct TraceFolder {
    std::filesystem::path path;
    std::string prefix; // value of VT_LOGFILE_PREFIX for the ranks; empty when the user has set it
};

// Looks at the environment, at `command` (mpirun -x VT_LOGFILE_PREFIX=...), and at the file that VT_CONFIG names.
TraceFolder choose_trace_folder(const std::vector<std::string>& command);

// The value of an option such as LOGFILE_PREFIX in the text of a configuration file; empty when there is none.
std::string option_in_config(const std::string& text, const std::string& name);

} // namespace tactus
