#include "cli/launch/no_trace.hpp"

#include "cli/launch/elf.hpp"
#include "cli/launch/rights.hpp"

#include <algorithm>
#include <fstream>

namespace tactus {
namespace fs = std::filesystem;

namespace {

// Returns the beginning of a script, and nothing of other files.
std::string script_text(const fs::path& file) {
    constexpr std::size_t most_bytes = 1U << 20U;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return {};
    std::string text(most_bytes, '\0');
    std::ifstream in{file, std::ios::binary};
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return text.starts_with("#!") || text.find('\0') == std::string::npos ? text : std::string{};
}

// Says what is wrong with a text that a shell or another interpreter executes.
std::string suspect_text(const std::string& title, std::string_view text) {
    if (text.find("LD_PRELOAD") != std::string_view::npos)
        return title + " mentions LD_PRELOAD, which brings the tracer into the ranks: it must keep what is there, as "
                       "LD_PRELOAD=$LD_PRELOAD:LIBRARY does";
    if (text.find("ASAN_OPTIONS") != std::string_view::npos)
        return title + " mentions ASAN_OPTIONS, and programs with a shared runtime of the address sanitizer need "
                       "verify_asan_link_order=0 there to be traced";
    return {};
}

std::string suspect_program(const ProgramPart& part) {
    const auto dynamic = read_dynamic_section(part.file);
    if (!dynamic) return {};
    if (!*dynamic) return suspect_text(part.program, script_text(part.file));
    if (const auto rights = gained_rights(part.file); !rights.empty()) return part.program + " " + rights;
    if (!(*dynamic)->loads_libraries)
        return part.program + " is statically linked, so that nothing can be preloaded: link it with shared libraries";
    return {};
}

// For `bash -c TEXT` and `bash SCRIPT`.
std::string suspect_arguments(const Arguments& argv, const ProgramPart& part) {
    for (std::size_t i = part.begin + 1; i < part.end; ++i) {
        const std::string& word = argv[i];
        if (auto found = suspect_text("'" + word + "'", word); !found.empty()) return found;
        if (auto found = suspect_text(word, script_text(part.surroundings.directory / fs::path{word})); !found.empty())
            return found;
    }
    return {};
}

} // namespace

std::string suspect(const Arguments& argv, const std::vector<ProgramPart>& parts) {
    for (const ProgramPart& part : parts) {
        if (part.file.empty()) continue;
        if (auto found = suspect_program(part); !found.empty()) return found;
        if (find_mpi_need(part.file).kind == MpiNeed::Kind::one) continue; // Its arguments are input, not a program.
        if (auto found = suspect_arguments(argv, part); !found.empty()) return found;
    }
    return {};
}

} // namespace tactus
