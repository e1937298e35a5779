#include "cli/messages.hpp"

#include "base/utf8.hpp"
#include "cli/exit_code.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tactus {

int fail(const Error& error) {
    fmt::print(stderr, "tactus: {}\n", printable(error.line()));
    return exit_code::fault;
}

int misused(const std::string& what) {
    fmt::print(stderr, "tactus: {}\n", printable(what));
    return exit_code::usage;
}

int tell(const std::vector<Error>& problems) {
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < problems.size() && i < most; ++i) fail(problems[i]);
    if (problems.size() > most)
        fmt::print(stderr, "tactus: and {} more problems (`tactus info` lists all)\n", problems.size() - most);
    return problems.empty() ? exit_code::fine : exit_code::fault;
}

std::string printable(const std::string& text) {
    std::string clean;
    std::string_view rest = text;
    while (!rest.empty()) {
        const Character next = first_character(rest);
        const std::size_t bytes = next.bytes == 0 ? 1 : next.bytes;
        if (next.bytes > 0 && is_harmless(next.code))
            clean += rest.substr(0, bytes);
        else
            clean += '?';
        rest.remove_prefix(bytes);
    }
    return clean;
}

Outcome write_file(const std::string& path, const std::string& content) {
    std::FILE* const file = std::fopen(path.c_str(), "w");
    bool good = file != nullptr && std::fwrite(content.data(), 1, content.size(), file) == content.size();
    int reason = errno;
    if (file != nullptr && std::fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good) return Done{};
    return Error{.what = std::string{"cannot be written: "} + std::strerror(reason), .file = path};
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
    return json.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

void print_json(const nlohmann::ordered_json& json) {
    nlohmann::ordered_json all = {{"version", json_version}};
    all.update(json);
    fmt::print("{}\n", json_text(all));
}

int flush_output(int status) {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    fmt::print(stderr, "tactus: the output could not be written: {} (is the disk full?)\n", std::strerror(errno));
    return exit_code::fault;
}

} // namespace tactus
