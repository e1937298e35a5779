#include "cli/finish_processes.hpp"

#include "cli/launch/plan.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string>

namespace tactus {
namespace {

int number_in(const char* variable) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::atoi(text) : 0;
}

// srun tells the number of tasks, but not which MPI they use.
std::optional<Mpi> mpi_of_launcher() {
    if (number_in("OMPI_COMM_WORLD_SIZE") > 1) return Mpi::openmpi;
    if (number_in("PMI_SIZE") > 1) return Mpi::mpich;
    return {};
}

bool has_other_tasks() { return std::getenv("SLURM_PROCID") != nullptr && number_in("SLURM_STEP_NUM_TASKS") > 1; }

} // namespace

Result<FinishProcesses::Plugin> FinishProcesses::load(Mpi mpi) {
    const auto folder = find_library_directory();
    if (!folder) return folder.error();
    const std::string file = (*folder / ("libtactus-wire-" + std::string{mpi_word(mpi)} + ".so")).string();
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr)
        return Error{.what = dlerror(), .file = file, .advice = "without a launcher, one process finishes the trace"};
    Plugin plugin{.start = reinterpret_cast<decltype(plugin.start)>(dlsym(library, "tactus_wire_start")),
                  .make = reinterpret_cast<decltype(plugin.make)>(dlsym(library, "tactus_wire_make")),
                  .stop = reinterpret_cast<decltype(plugin.stop)>(dlsym(library, "tactus_wire_stop"))};
    if (plugin.start == nullptr || plugin.make == nullptr || plugin.stop == nullptr)
        return Error{.what = "is not of this tactus", .file = file, .advice = "install tactus completely"};
    return plugin;
}

Result<FinishProcesses> FinishProcesses::join(const std::string& word) {
    FinishProcesses processes;
    if (word == "none") return processes;
    const std::optional<Mpi> mpi = word.empty() ? mpi_of_launcher() : parse_mpi(word);
    if (!mpi && has_other_tasks())
        return Error{.what = "there are several tasks, and it is not known of which MPI",
                     .advice = "say --mpi openmpi, mpich, abi, or none where only one of them does this"};
    if (!mpi) return processes;
    const auto plugin = load(*mpi);
    if (!plugin) return plugin.error();
    if (const char* const problem = plugin->start(&processes.me_); problem != nullptr)
        return Error{.what = std::string{mpi_title(*mpi)} + ": " + problem,
                     .advice = "--mpi none finishes the trace in one process, without MPI"};
    processes.plugin_ = *plugin;
    return processes;
}

FinishProcesses::~FinishProcesses() {
    if (plugin_.stop != nullptr) plugin_.stop();
}

} // namespace tactus
