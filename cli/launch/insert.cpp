#include "cli/launch/insert.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tactus {

namespace {

bool is_sanitizer(std::string_view library) {
    const std::string_view name = library.substr(library.find_last_of('/') + 1);
    return name.starts_with("libasan") || name.starts_with("libtsan") || name.starts_with("libubsan") ||
           name.starts_with("libclang_rt.");
}

// The runtime of the address sanitizer ends a program in which another library comes before it. It has an option for
// libraries that are preloaded. With this option the programs that a rank starts stay as they are, which they would not
// with the runtime in LD_PRELOAD. What the user set comes after it, and therefore wins.
std::string asan_options(const Surroundings& surroundings) {
    const char* const inherited = std::getenv("ASAN_OPTIONS");
    const std::string others = surroundings.value("ASAN_OPTIONS", inherited != nullptr ? inherited : "");
    return "ASAN_OPTIONS=verify_asan_link_order=0" + (others.empty() ? "" : ":" + others);
}

// What the ranks of this part get, as NAME=VALUE.
Arguments variables_of(const ProgramPart& part, bool address_sanitizer, const std::vector<EnvironmentPair>& environment,
                       std::string_view library, std::string_view inherited) {
    Arguments variables;
    for (const auto& [name, value] : environment) {
        if (!part.surroundings.variables.contains(name)) variables.emplace_back(name).append("=").append(value);
    }
    if (library.empty()) return variables;
    if (address_sanitizer) variables.push_back(asan_options(part.surroundings));
    variables.push_back("LD_PRELOAD=" +
                        join_preload(library, part.surroundings.value("LD_PRELOAD", std::string{inherited})));
    return variables;
}

// The last --export of srun replaces the others, so it has what they had. An entry with a comma is quoted as a whole.
std::string export_list(Surroundings surroundings, const Arguments& variables) {
    for (const std::string& variable : variables) surroundings.set(variable);
    std::string list = surroundings.inherits ? "ALL" : "";
    for (const auto& [name, value] : surroundings.variables) {
        std::string entry = value ? name + "=" + *value : name;
        if (entry.find(',') != std::string::npos) entry = "'" + entry + "'";
        if (!list.empty()) list += ',';
        list += entry;
    }
    return list;
}

void add_options(Arguments& line, LauncherKind kind, const ProgramPart& part, const Arguments& variables) {
    if (kind == LauncherKind::srun) {
        line.push_back("--export=" + export_list(part.surroundings, variables));
        return;
    }
    for (const std::string& variable : variables) {
        line.emplace_back(variable_option(kind));
        line.push_back(variable);
    }
}

void add_env(Arguments& line, const ProgramPart& part, const Arguments& variables) {
    std::error_code ignored;
    line.emplace_back(std::filesystem::exists("/usr/bin/env", ignored) ? "/usr/bin/env" : "env");
    line.insert(line.end(), variables.begin(), variables.end());
    line.push_back(part.program);
}

} // namespace

std::string join_preload(std::string_view library, std::string_view others) {
    std::size_t begin = 0; // of the first entry after those of sanitizers
    while (begin < others.size()) {
        const auto end = std::min(others.find_first_of(": ", begin), others.size());
        if (!is_sanitizer(others.substr(begin, end - begin))) break;
        begin = std::min(end + 1, others.size());
    }
    std::string joined{others.substr(0, begin)};
    if (!joined.empty() && joined.back() != ':' && joined.back() != ' ') joined += ':';
    joined += library;
    if (begin < others.size()) joined.append(":").append(others.substr(begin));
    return joined;
}

Arguments insert_environment(const Arguments& argv, const CommandLine& command,
                             const std::vector<EnvironmentPair>& environment, std::string_view library,
                             std::string_view inherited) {
    Arguments line;
    std::size_t done = 0;
    for (std::size_t i = 0; i < command.parts.size(); ++i) {
        const ProgramPart& part = command.parts[i];
        if (i > 0 && part.begin == command.parts[i - 1].begin) continue; // another program of the same file
        const bool address_sanitizer = std::ranges::any_of(command.parts, [&](const ProgramPart& other) {
            return other.begin == part.begin && other.address_sanitizer;
        });
        const Arguments variables = variables_of(part, address_sanitizer, environment, library, inherited);
        const std::size_t place = part.by_option ? part.options_end : part.begin;
        while (done < place) line.push_back(argv[done++]);
        if (part.by_option) {
            add_options(line, command.launcher.kind, part, variables);
        } else {
            add_env(line, part, variables);
            ++done;
        }
    }
    line.insert(line.end(), argv.begin() + static_cast<std::ptrdiff_t>(done), argv.end());
    return line;
}

} // namespace tactus
