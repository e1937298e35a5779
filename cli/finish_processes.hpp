// The processes in which `tactus finish` runs: a single one, or those that an MPI's launcher started. The ranks are
// divided among them.
#pragma once

#include "base/result.hpp"
#include "cli/launch/mpi.hpp"
#include "postproc/replay/wire_plugin.hpp"

#include <string>

namespace tactus {

class FinishProcesses {
  public:
    // `mpi` is "openmpi", "mpich" or "none"; if it is empty, the environment of the launcher decides. Initializes the
    // MPI if a launcher started this.
    static Result<FinishProcesses> join(const std::string& mpi);
    FinishProcesses(FinishProcesses&& other) noexcept : me_{other.me_}, plugin_{other.plugin_} { other.plugin_ = {}; }
    FinishProcesses(const FinishProcesses&) = delete;
    FinishProcesses& operator=(const FinishProcesses&) = delete;
    FinishProcesses& operator=(FinishProcesses&&) = delete;
    ~FinishProcesses(); // finalizes the MPI, so all processes must call it

    [[nodiscard]] bool alone() const { return plugin_.make == nullptr; }
    [[nodiscard]] bool first() const { return me_.process == 0; }
    [[nodiscard]] std::uint32_t count() const { return me_.processes; }
    // The wire between the processes, for a trace of `ranks`. All processes must call it; not allowed when alone().
    [[nodiscard]] ReplayWire& wire(std::uint32_t ranks) const { return *plugin_.make(ranks); }

  private:
    struct Plugin {
        decltype(&tactus_wire_start) start = nullptr;
        decltype(&tactus_wire_make) make = nullptr;
        decltype(&tactus_wire_stop) stop = nullptr;
    };

    FinishProcesses() = default;
    static Result<Plugin> load(Mpi mpi);

    WireProcess me_;
    Plugin plugin_;
};

} // namespace tactus
