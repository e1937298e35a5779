// A command line `LAUNCHER... PROGRAM...`: which launcher it has, where its programs begin, and how the library's
// environment is inserted before them. Nothing is executed here.
#pragma once

#include "base/result.hpp"
#include "cli/launch/mpi.hpp"
#include "cli/launch/options.hpp"
#include "cli/launch/surroundings.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus {

using EnvironmentPair = std::pair<std::string, std::string>;

struct Launcher {
    LauncherKind kind = LauncherKind::none;
    std::optional<Mpi> mpi{}; // of mpirun and mpiexec; srun starts programs of either MPI
    std::string name{};       // for messages: the word without its folders
};

// Recognizes the launcher by its name, then by what the name is a link to, then by what the file itself needs, then by
// what lies beside it. `forced` decides only if all of these leave it open.
[[nodiscard]] Result<Launcher> recognize_launcher(const std::string& word, std::optional<Mpi> forced);

// One program of the line. There are several when the line has parts that are separated by ':'.
struct ProgramPart {
    std::size_t begin = 0;          // index of the program's word, behind each `env` that the user wrote
    std::size_t end = 0;            // index behind the last word of the part
    std::string program{};          // what is started; differs from the word only where `env` would not find it
    std::filesystem::path file{};   // the program's file, empty when it is not on this machine
    Surroundings surroundings{};    // by the launcher's options and by `env`; these variables override those of tactus
    bool address_sanitizer = false; // the program has its runtime as a shared library, or may start one that has
};

struct CommandLine {
    Launcher launcher;
    std::vector<ProgramPart> parts; // never empty
};

// `argv` must not be empty. argv[0] is the launcher, or the program if there is no launcher.
[[nodiscard]] Result<CommandLine> parse_command_line(const Arguments& argv, std::optional<Mpi> forced = std::nullopt);

// Returns the line with `env NAME=VALUE...` before each program. So the variables reach the ranks on every node, and
// shells and scripts that start them, but not the launcher. `library` is put before the LD_PRELOAD that the part would
// have had, from its surroundings or else from `inherited`. If `library` is empty, LD_PRELOAD stays as it is.
[[nodiscard]] Arguments insert_environment(const Arguments& argv, const std::vector<ProgramPart>& parts,
                                           const std::vector<EnvironmentPair>& environment, std::string_view library,
                                           std::string_view inherited);

// Puts `library` before `others`, but after the runtime of a sanitizer, which refuses any place but the first.
[[nodiscard]] std::string join_preload(std::string_view library, std::string_view others);

} // namespace tactus
