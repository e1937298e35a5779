#include "cli/launch/launcher.hpp"

#include "base/shell_word.hpp"
#include "cli/launch/elf.hpp"
#include "cli/launch/search.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace tactus {
namespace fs = std::filesystem;

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Knows the names that mean the same launcher everywhere, also with the suffixes of distributions (mpirun.openmpi,
// mpiexec.mpich).
LauncherKind kind_of_name(std::string_view name) {
    constexpr std::pair<std::string_view, LauncherKind> one_of_a_kind[] = {
        {"srun", LauncherKind::srun}, {"palsrun", LauncherKind::pals},          {"aprun", LauncherKind::aprun},
        {"flux", LauncherKind::flux}, {"mpirun_rsh", LauncherKind::mpirun_rsh}, {"jsrun", LauncherKind::jsrun},
        {"lrun", LauncherKind::lrun}};
    for (const auto& [own, kind] : one_of_a_kind) {
        if (name == own) return kind;
    }
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

// Open MPI's launcher needs Open MPI's run-time libraries, and PALS's has its own. Hydra needs no libraries of its MPI.
LauncherKind kind_of_libraries(const fs::path& file) {
    const auto dynamic = read_dynamic_section(file);
    if (!dynamic || !*dynamic) return LauncherKind::none;
    for (const std::string& name : (*dynamic)->needed) {
        if (name.starts_with("libopen-rte.") || name.starts_with("libopen-pal.") || name.starts_with("libprrte."))
            return LauncherKind::openmpi;
        if (name.starts_with("libpals.")) return LauncherKind::pals;
    }
    return LauncherKind::none;
}

// The mpirun of Open MPI 5 and later is a small program that executes prterun, and needs no library of either.
bool mentions_prterun(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    const std::string content{std::istreambuf_iterator<char>{in}, {}};
    return contains(content, "prterun");
}

// mpirun may be a script around the real launcher (Intel MPI, a site's own). The real launcher lies in the same folder.
// PALS has commands beside its mpiexec that no other has.
LauncherKind kind_of_neighbors(const fs::path& folder) {
    constexpr std::pair<const char*, LauncherKind> neighbors[] = {{"mpiexec.hydra", LauncherKind::hydra},
                                                                  {"orterun", LauncherKind::openmpi},
                                                                  {"prterun", LauncherKind::openmpi},
                                                                  {"palsrun", LauncherKind::pals},
                                                                  {"palstat", LauncherKind::pals}};
    LauncherKind found = LauncherKind::none;
    for (const auto& [name, kind] : neighbors) {
        std::error_code ignored;
        if (!fs::exists(folder / name, ignored)) continue;
        if (found != LauncherKind::none && found != kind) return LauncherKind::none;
        found = kind;
    }
    return found;
}

std::optional<Mpi> mpi_of(LauncherKind kind) {
    if (kind == LauncherKind::openmpi) return Mpi::openmpi;
    if (kind == LauncherKind::hydra || kind == LauncherKind::mpirun_rsh) return Mpi::mpich;
    return std::nullopt;
}

Launcher make_launcher(LauncherKind kind, std::string name) { return {kind, mpi_of(kind), std::move(name)}; }

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
    if (const auto kind = kind_of_libraries(real); kind != LauncherKind::none) return make_launcher(kind, name);
    if (mentions_prterun(real)) return make_launcher(LauncherKind::openmpi, name);
    if (const auto kind = kind_of_neighbors(real.parent_path()); kind != LauncherKind::none)
        return make_launcher(kind, name);
    if (forced && *forced != Mpi::abi) // both launchers start programs of the standard ABI
        return make_launcher(*forced == Mpi::openmpi ? LauncherKind::openmpi : LauncherKind::hydra, name);
    return Error{.what = "cannot tell whether this launcher is Open MPI's or MPICH's",
                 .file = file.string(),
                 .advice = "say which: tactus run --mpi openmpi|mpich " + shell_word(word) + " ..."};
}

} // namespace tactus
