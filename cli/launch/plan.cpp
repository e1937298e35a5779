#include "cli/launch/plan.hpp"

#include "base/shell_word.hpp"
#include "cli/launch/elf.hpp"
#include "cli/launch/rights.hpp"
#include "cli/launch/search.hpp"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace tactus {
namespace fs = std::filesystem;

namespace {

using Kind = MpiNeed::Kind;

struct Choice {
    std::optional<Mpi> mpi{};
    std::string note{}; // why there is no MPI
};

std::string title(Mpi mpi) { return std::string{mpi_title(mpi)}; }

fs::path library_file(const fs::path& directory, Mpi mpi) {
    return directory / ("libtactus-" + std::string{mpi_word(mpi)} + ".so");
}

Choice untraced(std::string why) { return {.mpi = {}, .note = std::move(why)}; }

Error cannot_tell(const CommandLine& line, const ProgramPart& part, const MpiNeed& need, const Arguments& argv) {
    std::string what = "cannot tell which MPI " + part.program + " will use: ";
    if (need.kind == Kind::script)
        what += "it is a script";
    else if (part.file.empty())
        what += "it is not on this machine";
    else if (need.kind == Kind::unreadable)
        what += need.because;
    else
        what += "it is linked with none";
    if (line.launcher.kind != LauncherKind::none) what += " and " + line.launcher.name + " starts either";
    return {.what = std::move(what),
            .advice = "say which: tactus run --mpi openmpi|mpich|abi " + shell_word(argv.front()) + " ..."};
}

// A program without MPI that is traced as one rank is traced by means of an MPI of this machine.
Choice choose_for_one_rank(const std::string& program, const LibraryPlaces& places) {
    constexpr std::pair<const char*, Mpi> known[] = {
        {"libmpich.so.12", Mpi::mpich}, {"libmpi.so.12", Mpi::mpich}, {"libmpi.so.40", Mpi::openmpi}};
    for (const auto& [soname, mpi] : known)
        if (can_load(soname, places)) return {.mpi = mpi};
    return untraced(program + " is linked with libVTcs and no MPI; to trace it, tactus needs an MPI, and found none on "
                              "this machine (put its folder into LD_LIBRARY_PATH)");
}

// For a line in which neither a program nor the launcher tells the MPI.
Result<Choice> choose_without_knowledge(const CommandLine& line, const std::vector<MpiNeed>& needs,
                                        const Arguments& argv) {
    const bool alone = line.launcher.kind == LauncherKind::none;
    if (alone && needs.front().traced_alone)
        return choose_for_one_rank(line.parts.front().program, LibraryPlaces::of_this_machine());
    if (alone && needs.front().kind == Kind::none)
        return untraced(
            line.parts.front().program +
            " is linked with no MPI (if it starts mpirun or srun, put `tactus run` before that; if it loads "
            "an MPI later, as Python does, add --mpi openmpi|mpich|abi)");
    return cannot_tell(line, line.parts.front(), needs.front(), argv);
}

Result<Choice> choose_mpi(const CommandLine& line, const std::vector<MpiNeed>& needs, const Arguments& argv) {
    std::optional<std::size_t> known;
    for (std::size_t i = 0; i < needs.size(); ++i) {
        const std::string& program = line.parts[i].program;
        if (needs[i].kind == Kind::foreign)
            return untraced(program + " needs " + needs[i].because + ", an MPI that tactus has no library for");
        if (needs[i].kind == Kind::built_in)
            return untraced(program + " has its MPI from a static library, where tactus cannot come between (link it "
                                      "with the MPI's shared library)");
        if (needs[i].kind != Kind::one) continue;
        if (known && needs[*known].mpi != needs[i].mpi)
            return untraced(line.parts[*known].program + " needs " + title(needs[*known].mpi) + " and " + program +
                            " needs " + title(needs[i].mpi) + ", which tactus cannot trace in one job");
        known = i;
    }
    const std::optional<Mpi> launched = line.launcher.mpi;
    if (known && launched && *launched != needs[*known].mpi && needs[*known].mpi != Mpi::abi)
        return untraced(line.parts[*known].program + " needs " + title(needs[*known].mpi) + " (" +
                        needs[*known].because + "), but " + line.launcher.name + " is " + title(*launched) + "'s");
    if (known) return Choice{.mpi = needs[*known].mpi};
    if (launched) return Choice{.mpi = launched};
    return choose_without_knowledge(line, needs, argv);
}

std::vector<MpiNeed> find_needs(const CommandLine& line) {
    const LibraryPlaces places = LibraryPlaces::of_this_machine();
    std::vector<MpiNeed> needs;
    for (const ProgramPart& part : line.parts) {
        needs.push_back(part.file.empty() ? MpiNeed{.kind = Kind::unreadable, .because = "no such program"}
                                          : find_mpi_need(part.file, places));
    }
    return needs;
}

// An option of the launcher's own that comes after another one for the same variable may or may not win. Only srun's
// has all variables in one list.
std::string why_no_option(const CommandLine& line) {
    const std::string option{variable_option(line.launcher.kind)};
    for (const ProgramPart& part : line.parts) {
        if (part.by_option && !option.empty() && part.surroundings.variables.contains("LD_PRELOAD"))
            return line.launcher.name + " copies " + part.program + " to the nodes, so that only its option " + option +
                   " can give it LD_PRELOAD, which you set by that (put the program where all nodes see it, and have "
                   "it not copied)";
    }
    return {};
}

Result<Choice> choose(const LaunchRequest& request, const CommandLine& line, const std::vector<MpiNeed>& needs) {
    if (std::string why = why_no_option(line); !why.empty()) return untraced(std::move(why));
    if (request.forced) return Choice{.mpi = request.forced};
    for (std::size_t i = 0; i < needs.size(); ++i) {
        if (needs[i].kind == Kind::script) continue; // The kernel gives scripts no other rights.
        if (const std::string rights = gained_rights(line.parts[i].file); !rights.empty())
            return untraced(line.parts[i].program + " " + rights);
    }
    return choose_mpi(line, needs, request.argv);
}

// A shell, a script or Python may start any program.
bool may_have_address_sanitizer(const MpiNeed& need) { return need.kind != Kind::one || need.address_sanitizer; }

Outcome check_library(const fs::path& library) {
    if (::access(library.c_str(), R_OK) != 0)
        return Error{.what = "the tracing library is missing or cannot be read",
                     .file = library.string(),
                     .advice =
                         "build or install tactus completely; the libraries belong into ../lib beside the command"};
    if (library.string().find_first_of(": ") != std::string::npos)
        return Error{.what = "the folder's name has a blank or a colon, which LD_PRELOAD cannot express",
                     .file = library.string(),
                     .advice = "install tactus in a folder without them"};
    return Done{};
}

Outcome check_names(const CommandLine& line) {
    for (const ProgramPart& part : line.parts) {
        if (!part.by_option && part.program.find('=') != std::string::npos)
            return Error{.what = "a program whose name has a '=' would be taken for a variable by `env`",
                         .file = part.program,
                         .advice = "start it through a link or folder without '='"};
    }
    return Done{};
}

std::string inherited_preload(const LaunchRequest& request) {
    if (request.preload) return *request.preload;
    const char* value = std::getenv("LD_PRELOAD");
    return value != nullptr ? value : "";
}

bool holds_a_library(const fs::path& directory) {
    std::error_code ignored;
    return std::ranges::any_of(all_mpis, [&](Mpi mpi) { return fs::exists(library_file(directory, mpi), ignored); });
}

} // namespace

Result<LaunchPlan> plan_launch(const LaunchRequest& request) {
    if (request.argv.empty())
        return Error{.what = "no program to run", .advice = "write: tactus run mpirun -n 4 ./app"};
    LaunchPlan plan{.command = request.argv};
    if (find_program(request.argv.front()).empty()) return plan; // execute() tells what is wrong and returns 127.
    auto line = parse_command_line(request.argv, request.forced);
    if (!line) return line.error();
    const std::vector<MpiNeed> needs = find_needs(*line);
    auto choice = choose(request, *line, needs);
    if (!choice && request.nccl) choice = untraced("no MPI that tactus knows was found");
    if (!choice) return choice.error();
    for (std::size_t i = 0; i < needs.size(); ++i)
        line->parts[i].address_sanitizer = may_have_address_sanitizer(needs[i]);
    plan.launcher = line->launcher;
    plan.parts = line->parts;
    if (!choice->mpi) plan.note = choice->note + (request.nccl ? "; NCCL alone is recorded" : "; it runs untraced");
    if (!choice->mpi && !request.nccl) return plan;
    if (choice->mpi) plan.library = library_file(request.library_directory, *choice->mpi);
    std::vector<EnvironmentPair> environment = request.environment;
    const fs::path plugin = request.library_directory / "libnccl-profiler-tactus.so";
    if (request.nccl) {
        constexpr const char* variable = "NCCL_PROFILER_PLUGIN";
        environment.emplace_back(variable, plugin.string());
        if (const char* const other = std::getenv(variable); other != nullptr && *other != '\0')
            plan.note += std::string{plan.note.empty() ? "" : "; "} + "NCCL takes one profiler plugin: " + variable +
                         "=" + other + " is not used";
    }
    if (choice->mpi)
        if (auto usable = check_library(plan.library); !usable) return usable.error();
    if (request.nccl)
        if (auto usable = check_library(plugin); !usable) return usable.error();
    if (auto usable = check_names(*line); !usable) return usable.error();
    plan.command =
        insert_environment(request.argv, *line, environment, plan.library.string(), inherited_preload(request));
    plan.traced = true;
    plan.mpi = choice->mpi;
    return plan;
}

Result<fs::path> find_library_directory(const fs::path& command) {
    const fs::path folder = command.parent_path();
    const fs::path lib = (folder / ".." / "lib").lexically_normal();
    for (const fs::path& place : {lib, folder}) {
        if (holds_a_library(place)) return place;
    }
    return Error{.what =
                     "none of the tracing libraries (libtactus-openmpi.so, libtactus-mpich.so, libtactus-abi.so) is "
                     "in " +
                     lib.string() + " or " + folder.string(),
                 .advice = "build or install tactus completely"};
}

Result<fs::path> find_library_directory() {
    std::error_code failed;
    const fs::path command = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return Error{.what = failed.message(), .file = "/proc/self/exe", .advice = "/proc must be mounted"};
    return find_library_directory(command);
}

} // namespace tactus
