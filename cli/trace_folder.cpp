#include "cli/trace_folder.hpp"

#include "base/grammar.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tactus {
namespace fs = std::filesystem;

namespace {

std::string environment(const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? "" : value;
}

std::string variable_in_command(const std::vector<std::string>& command, const std::string& name) {
    const std::string start = name + '=';
    for (const std::string& word : command)
        if (const std::size_t at = word.find(start); at != std::string::npos) return word.substr(at + start.size());
    return {};
}

std::string config_text() {
    std::ifstream file{environment("VT_CONFIG")};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::string plain_value(const std::string& text) {
    if (text.rfind('"', 0) == 0) return text.substr(1, text.find('"', 1) - 1);
    std::string value = text.substr(0, text.find('#'));
    value.erase(value.find_last_not_of(" \t\r") + 1);
    return value;
}

// The first of these that has the option decides: the environment, which `tactus run` passes on; the launcher's
// options; the configuration file.
std::string value_of(const std::string& option, const std::vector<std::string>& command) {
    const std::string variable = "VT_" + option;
    for (const std::string& value : {environment(variable), variable_in_command(command, variable)})
        if (!value.empty()) return value;
    return option_in_config(config_text(), option);
}

} // namespace

// Reads the file as the collector does. A line is NAME VALUE, the name with or without VT_, and the value may be in
// quotes. The last line with the name wins.
std::string option_in_config(const std::string& text, const std::string& name) {
    std::string found;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields{line};
        std::string written;
        std::string value;
        if (!(fields >> written) || written.front() == '#') continue;
        std::replace(written.begin(), written.end(), '-', '_');
        if (written.rfind("VT_", 0) == 0) written.erase(0, 3);
        std::getline(fields >> std::ws, value);
        if (equal_ignoring_case(written, name)) found = plain_value(value);
    }
    return found;
}

TraceFolder choose_trace_folder(const std::vector<std::string>& command) {
    std::error_code failed;
    const fs::path here = fs::current_path(failed);
    const std::string current = value_of("CURRENT_DIR", command);
    const fs::path base = current.empty() ? here : here / current;
    const std::string prefix = value_of("LOGFILE_PREFIX", command);
    // The name may contain folders, and may even be an absolute path.
    const std::string name = value_of("LOGFILE_NAME", command);
    const fs::path trace = base / prefix / (name.empty() ? "any" : name);
    return {trace.parent_path(), prefix.empty() ? base.string() : ""};
}

} // namespace tactus
