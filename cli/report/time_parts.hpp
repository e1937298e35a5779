// Where the time of all ranks and threads went. The parts add up to all of it.
#pragma once

#include "cli/report/report.hpp"

#include <array>
#include <string>

namespace tactus {

enum class TimePart {
    application, // outside of MPI, on a core, or it is not known that the thread had none
    asleep,      // outside of MPI, where the thread waited for something other than a core
    no_core,     // outside of MPI, where the thread could have run
    waiting,     // in MPI, for another rank
    mpi,         // in MPI, without waiting
    io,          // in MPI_File_ functions, without waiting
    ends,        // MPI_Init, MPI_Finalize, and what takes their place with sessions, without waiting
    tracer,
};
inline constexpr std::array<const char*, 8> time_part_names = {
    "application", "asleep outside MPI", "without a core", "waiting", "MPI without waiting",
    "I/O",         "start and end",      "tracer"};

inline constexpr std::array<const char*, time_part_names.size()> time_part_keys = {
    "application_s",         "asleep_s", "without_core_s",  "waiting_s",
    "mpi_without_waiting_s", "io_s",     "start_and_end_s", "tracer_s"};

struct TimeParts {
    std::array<double, time_part_names.size()> seconds{};
    double total_s = 0;         // the time of all ranks and threads
    double tracers_start_s = 0; // of the tracer's part: where the recording begins

    [[nodiscard]] double of(TimePart part) const { return seconds[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double share(TimePart part) const { return total_s > 0 ? of(part) / total_s : 0; }
};

// The part that a call of the function belongs to while it does not wait.
TimePart part_of(Function function);
// The waits of the report must be known.
TimeParts time_parts(const Report& report);

// Returns text such as "application 61.2 %, waiting 30.1 %, I/O 8.4 %", the largest part first, without those below 0.1
// %.
std::string time_text(const TimeParts& parts);
// Returns how much of the time in which threads could run they had no core, and why, as far as the system told; empty
// if it is too little to be named.
std::string cores_text(const CoreUse& cores);
// Whether the system shows why threads had no core, on the host where most time went that way.
bool has_reason(const CoreUse& cores);
// Says that a rank had to read memory from a disk for 1 % of its time or more, while its host read pages back from swap
// space; empty otherwise.
std::string memory_text(const Report& report);
// Returns text such as "one host with 2 cores: OVERSUBSCRIBED"; without readings only the number of hosts.
std::string hosts_and_cores_text(const Report& report);

} // namespace tactus
