// A command line `LAUNCHER... PROGRAM...`: which launcher it has, and where its programs begin. Nothing is
// executed here.
#pragma once

#include "base/result.hpp"
#include "cli/launch/meaning.hpp"
#include "cli/launch/mpi.hpp"
#include "cli/launch/surroundings.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

struct Launcher {
    LauncherKind kind = LauncherKind::none;
    std::optional<Mpi> mpi{}; // of mpirun and mpiexec; srun and others start programs of either MPI
    std::string name{};       // for messages: the word without its folders
    std::size_t words = 1;    // of the launcher itself: `flux run` has two
};

// Recognizes the launcher by its name, then by what the name is a link to, then by what the file itself needs, then by
// what lies beside it. `forced` decides only if all of these leave it open.
[[nodiscard]] Result<Launcher> recognize_launcher(const std::string& word, std::optional<Mpi> forced);

// One program of the line. There are several when the line has parts that are separated by ':'. Programs that a file of
// srun's --multi-prog names share one part of the line; `begin` is then the index of the file's name.
struct ProgramPart {
    std::size_t options_end = 0;  // index behind the launcher's last option of the part
    std::size_t begin = 0;        // index of the program's word, behind each `env` that the user wrote
    std::size_t end = 0;          // index behind the last word of the part
    std::string program{};        // what is started; differs from the word only where `env` would not find it
    std::filesystem::path file{}; // the program's file, empty when it is not on this machine
    Surroundings surroundings{};  // by the launcher's options and by `env`; these variables override those of tactus
    // The launcher has to give the variables by its own option: it copies the program to the nodes, or takes it from a
    // file, so that no `env` can stand before it.
    bool by_option = false;
    bool address_sanitizer = false; // the program has its runtime as a shared library, or may start one that has
};

struct CommandLine {
    Launcher launcher;
    std::vector<ProgramPart> parts; // never empty
};

// `argv` must not be empty. argv[0] is the launcher, or the program if there is no launcher.
[[nodiscard]] Result<CommandLine> parse_command_line(const Arguments& argv, std::optional<Mpi> forced = std::nullopt);

} // namespace tactus
