// What `tactus run` will execute: the user's command line, the library that fits its MPI, and what to say about it.
// All ranks get the library or none does: a rank without it would leave the others waiting in the tracer's first
// collective.
#pragma once

#include "base/result.hpp"
#include "cli/launch/launcher.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct LaunchRequest {
    Arguments argv;                             // all words behind `tactus run` and its own options
    std::filesystem::path library_directory;    // from find_library_directory()
    std::optional<Mpi> forced{};                // --mpi
    bool nccl = false;                          // with the plugin for NCCL, also where there is no MPI
    std::vector<EnvironmentPair> environment{}; // for the ranks, beside LD_PRELOAD
    std::optional<std::string> preload{};       // LD_PRELOAD as inherited; unset: the one of this process
};

struct LaunchPlan {
    Arguments command; // to execute
    bool traced = false;
    std::optional<Mpi> mpi{};        // of the library, when traced
    std::filesystem::path library{}; // empty when NCCL alone is traced
    Launcher launcher{};
    std::vector<ProgramPart> parts{}; // begin: index in request.argv
    std::string note{};               // one line for the user (without "tactus: "), empty when all is as expected
};

[[nodiscard]] Result<LaunchPlan> plan_launch(const LaunchRequest& request);

// Where libtactus-*.so lie: ../lib seen from the command's own folder, else that folder itself.
[[nodiscard]] Result<std::filesystem::path> find_library_directory(const std::filesystem::path& command);
// The same for the running command.
[[nodiscard]] Result<std::filesystem::path> find_library_directory();

} // namespace tactus
