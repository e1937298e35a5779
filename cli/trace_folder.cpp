#include "cli/trace_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <regex>

namespace tactus {
namespace fs = std::filesystem;

namespace {

constexpr const char* prefix_variable = "VT_LOGFILE_PREFIX";

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string prefix_in_command(const std::vector<std::string>& command) {
    const std::string start = std::string{prefix_variable} + '=';
    for (const std::string& word : command)
        if (const std::size_t at = word.find(start); at != std::string::npos) return word.substr(at + start.size());
    return {};
}

} // namespace

// As the collector reads it: NAME VALUE, the name with or without VT_, the value perhaps in quotes, the last line wins.
std::string prefix_in_config(const std::string& text) {
    static const std::regex line{R"re(^\s*(?:VT_)?LOGFILE[-_]PREFIX\s+(?:"([^"]*)"|([^#\r\n]*)))re",
                                 std::regex::icase | std::regex::multiline};
    std::string found;
    for (std::sregex_iterator match{text.begin(), text.end(), line}; match != std::sregex_iterator{}; ++match)
        found = (*match)[1].matched ? (*match)[1].str() : (*match)[2].str();
    found.erase(found.find_last_not_of(" \t") + 1);
    return found;
}

TraceFolder choose_trace_folder(const std::vector<std::string>& command) {
    std::error_code failed;
    const fs::path here = fs::current_path(failed);
    for (const std::string& prefix : {environment(prefix_variable), prefix_in_command(command)})
        if (!prefix.empty()) return {here / prefix, ""};
    if (const std::string config = environment("VT_CONFIG"); !config.empty()) {
        std::ifstream file{config};
        const std::string text{std::istreambuf_iterator<char>{file}, {}};
        if (const std::string prefix = prefix_in_config(text); !prefix.empty()) return {here / prefix, ""};
    }
    return {here, prefix_variable};
}

} // namespace tactus
