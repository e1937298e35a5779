// The processes that `tactus finish` runs in: one, or those that an MPI's launcher started, among which the ranks are
// shared out.
#pragma once

#include "base/result.hpp"
#include "cli/launch/mpi.hpp"
#include "postproc/replay/wire_plugin.hpp"

#include <string>

namespace tactus {

class FinishProcesses {
  public:
    // By `mpi`: "openmpi", "mpich" or "none"; if empty by the environment that launchers leave. Initializes the MPI if
    // there are several processes.
    static Result<FinishProcesses> join(const std::string& mpi);
    FinishProcesses(FinishProcesses&& other) noexcept : me_{other.me_}, plugin_{other.plugin_} { other.plugin_ = {}; }
    FinishProcesses(const FinishProcesses&) = delete;
    FinishProcesses& operator=(const FinishProcesses&) = delete;
    FinishProcesses& operator=(FinishProcesses&&) = delete;
    ~FinishProcesses(); // collective: leaves the MPI

    [[nodiscard]] bool alone() const { return plugin_.make == nullptr; }
    [[nodiscard]] bool first() const { return me_.process == 0; }
    [[nodiscard]] std::uint32_t count() const { return me_.processes; }
    // Collective. Not when alone.
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
