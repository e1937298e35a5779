// The plan of `tactus run`: the command line to execute, the library that fits its MPI, and a note to the user. Either
// all ranks get the library or none does, because a rank without it would leave the others waiting in the tracer's
// first collective.
#pragma once

#include "base/result.hpp"
#include "cli/launch/insert.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct LaunchRequest {
    Arguments argv;                             // all words after `tactus run` and its own options
    std::filesystem::path library_directory;    // from find_library_directory()
    std::optional<Mpi> forced{};                // --mpi
    bool nccl = false;                          // adds the plugin for NCCL, also where there is no MPI
    std::vector<EnvironmentPair> environment{}; // more variables for the ranks, besides LD_PRELOAD
    std::optional<std::string> preload{};       // inherited LD_PRELOAD; empty: the one of this process
};

struct LaunchPlan {
    Arguments command; // to execute
    bool traced = false;
    std::optional<Mpi> mpi{};        // the MPI of the library, when traced
    std::filesystem::path library{}; // empty when only NCCL is traced
    Launcher launcher{};
    std::vector<ProgramPart> parts{}; // `begin` is an index in request.argv
    std::string note{};               // one line for the user (without "tactus: "); empty when all is as expected
};

[[nodiscard]] Result<LaunchPlan> plan_launch(const LaunchRequest& request);

// Returns the folder of libtactus-*.so: ../lib relative to the folder of `command`, or that folder itself.
[[nodiscard]] Result<std::filesystem::path> find_library_directory(const std::filesystem::path& command);
// Does the same for the running command.
[[nodiscard]] Result<std::filesystem::path> find_library_directory();

} // namespace tactus
