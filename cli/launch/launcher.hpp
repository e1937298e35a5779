// A command line `LAUNCHER... PROGRAM...`: which launcher it is, where its programs begin, and how the library's
// environment is put in front of them. Nothing is executed here.
#pragma once

#include "base/result.hpp"
#include "cli/launch/mpi.hpp"
#include "cli/launch/options.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus {

using Arguments = std::vector<std::string>;
using EnvironmentPair = std::pair<std::string, std::string>;

struct Launcher {
    LauncherKind kind = LauncherKind::none;
    std::optional<Mpi> mpi{}; // of mpirun and mpiexec; srun starts either
    std::string name{};       // as in messages: the word without its folders
};

// By the name, then by what the name is a link to, then by what the file itself needs, then by what lies beside it.
// `forced` settles only what those leave open.
[[nodiscard]] Result<Launcher> recognize_launcher(const std::string& word, std::optional<Mpi> forced);

// One program of the line; several when parts are separated by ':'.
struct ProgramPart {
    std::size_t begin = 0;                // index of the program's word
    std::string program{};                // what is started; differs from the word only where `env` would not find it
    std::filesystem::path file{};         // the program's file, empty when it is not on this machine
    std::optional<std::string> preload{}; // an LD_PRELOAD that the launcher's own options set for this part
    std::vector<std::string> names{};     // of all variables that those options set; they win over ours
};

struct CommandLine {
    Launcher launcher;
    std::vector<ProgramPart> parts; // never empty
};

// `argv` is not empty; argv[0] is the launcher, or the program of a run without one.
[[nodiscard]] Result<CommandLine> parse_command_line(const Arguments& argv, std::optional<Mpi> forced = std::nullopt);

// The line with `env NAME=VALUE...` before each program, so that the variables reach the ranks, and whatever shells and
// scripts stand between, on every node, but not the launcher. `library` is put in front of the LD_PRELOAD that the part
// would have had: the launcher's option, else `inherited`.
// Without a library LD_PRELOAD stays as it is.
[[nodiscard]] Arguments insert_environment(const Arguments& argv, const std::vector<ProgramPart>& parts,
                                           const std::vector<EnvironmentPair>& environment, std::string_view library,
                                           std::string_view inherited);

// `library` before `others`, but behind a sanitizer's runtime, which refuses to be anything but the first.
[[nodiscard]] std::string join_preload(std::string_view library, std::string_view others);

} // namespace tactus
