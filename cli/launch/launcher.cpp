#include "cli/launch/launcher.hpp"

#include "base/shell_word.hpp"
#include "cli/launch/elf.hpp"
#include "cli/launch/search.hpp"

#include <algorithm>
#include <cstdlib>

namespace tactus {
namespace fs = std::filesystem;

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Knows the names that mean the same launcher everywhere, also with the suffixes of distributions (mpirun.openmpi,
// mpiexec.mpich).
LauncherKind kind_of_name(std::string_view name) {
    if (name == "srun") return LauncherKind::srun;
    for (const std::string_view own : {"orterun", "prterun", "prun", "oshrun", "shmemrun"}) {
        if (name == own) return LauncherKind::openmpi;
    }
    if (!name.starts_with("mpirun") && !name.starts_with("mpiexec")) return LauncherKind::none;
    if (contains(name, "openmpi")) return LauncherKind::openmpi;
    if (contains(name, "hydra") || contains(name, "mpich")) return LauncherKind::hydra;
    return LauncherKind::none;
}

bool is_generic(std::string_view name) {
    for (const std::string_view stem : {"mpirun", "mpiexec"}) {
        if (name == stem || name.starts_with(std::string{stem} + ".") || name.starts_with(std::string{stem} + "-") ||
            name.starts_with(std::string{stem} + "_"))
            return true;
    }
    return false;
}

// Open MPI's launcher needs Open MPI's run-time libraries. Hydra needs no libraries of its MPI.
bool needs_openmpi_runtime(const fs::path& file) {
    const auto dynamic = read_dynamic_section(file);
    if (!dynamic || !*dynamic) return false;
    return std::ranges::any_of((*dynamic)->needed, [](const std::string& name) {
        return name.starts_with("libopen-rte.") || name.starts_with("libopen-pal.") || name.starts_with("libprrte.");
    });
}

// mpirun may be a script around the real launcher (Intel MPI, a site's own). The real launcher lies in the same folder.
LauncherKind kind_of_neighbors(const fs::path& folder) {
    std::error_code ignored;
    const bool hydra = fs::exists(folder / "mpiexec.hydra", ignored);
    const bool openmpi = fs::exists(folder / "orterun", ignored) || fs::exists(folder / "prterun", ignored);
    if (hydra == openmpi) return LauncherKind::none;
    return hydra ? LauncherKind::hydra : LauncherKind::openmpi;
}

std::optional<Mpi> mpi_of(LauncherKind kind) {
    if (kind == LauncherKind::openmpi) return Mpi::openmpi;
    if (kind == LauncherKind::hydra) return Mpi::mpich;
    return std::nullopt;
}

Launcher make_launcher(LauncherKind kind, std::string name) { return {kind, mpi_of(kind), std::move(name)}; }

bool is_sanitizer(std::string_view library) {
    const std::string_view name = library.substr(library.find_last_of('/') + 1);
    return name.starts_with("libasan") || name.starts_with("libtsan") || name.starts_with("libubsan") ||
           name.starts_with("libclang_rt.");
}

// The runtime of the address sanitizer ends a program in which another library comes before it. It has an option for
// libraries that are preloaded. With this option the programs that a rank starts stay as they are, which they would not
// with the runtime in LD_PRELOAD. What the user set comes after it, and therefore wins.
std::string asan_options(const Surroundings& surroundings) {
    constexpr const char* variable = "ASAN_OPTIONS";
    const char* const inherited = std::getenv(variable);
    const std::string others = surroundings.value(variable, inherited != nullptr ? inherited : "");
    return std::string{variable} + "=verify_asan_link_order=0" + (others.empty() ? "" : ":") + others;
}

} // namespace

Result<Launcher> recognize_launcher(const std::string& word, std::optional<Mpi> forced) {
    const std::string name = fs::path{word}.filename().string();
    if (const auto kind = kind_of_name(name); kind != LauncherKind::none) return make_launcher(kind, name);
    const fs::path file = find_program(word);
    if (file.empty()) return Launcher{.name = name};
    std::error_code failed;
    const fs::path real = fs::canonical(file, failed);
    if (failed) return Launcher{.name = name};
    const std::string real_name = real.filename().string();
    if (const auto kind = kind_of_name(real_name); kind != LauncherKind::none) return make_launcher(kind, name);
    if (!is_generic(name) && !is_generic(real_name)) return Launcher{.name = name};
    if (needs_openmpi_runtime(real)) return make_launcher(LauncherKind::openmpi, name);
    if (const auto kind = kind_of_neighbors(real.parent_path()); kind != LauncherKind::none)
        return make_launcher(kind, name);
    if (forced && *forced != Mpi::abi) // both launchers start programs of the standard ABI
        return make_launcher(*forced == Mpi::openmpi ? LauncherKind::openmpi : LauncherKind::hydra, name);
    return Error{.what = "cannot tell whether this launcher is Open MPI's or MPICH's",
                 .file = file.string(),
                 .advice = "say which: tactus run --mpi openmpi|mpich " + shell_word(word) + " ..."};
}

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

Arguments insert_environment(const Arguments& argv, const std::vector<ProgramPart>& parts,
                             const std::vector<EnvironmentPair>& environment, std::string_view library,
                             std::string_view inherited) {
    std::error_code ignored;
    const std::string env = fs::exists("/usr/bin/env", ignored) ? "/usr/bin/env" : "env";
    Arguments line;
    std::size_t done = 0;
    for (const ProgramPart& part : parts) {
        while (done < part.begin) line.push_back(argv[done++]);
        line.push_back(env);
        for (const auto& [name, value] : environment) {
            if (!part.surroundings.variables.contains(name)) line.emplace_back(name).append("=").append(value);
        }
        if (!library.empty() && part.address_sanitizer) line.push_back(asan_options(part.surroundings));
        if (!library.empty())
            line.push_back("LD_PRELOAD=" +
                           join_preload(library, part.surroundings.value("LD_PRELOAD", std::string{inherited})));
        line.push_back(part.program);
        ++done;
    }
    line.insert(line.end(), argv.begin() + static_cast<std::ptrdiff_t>(done), argv.end());
    return line;
}

} // namespace tactus
