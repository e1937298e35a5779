// Finds one trace directory for all processes of a job. They know nothing of each other except what NCCL or a launcher
// tells all of them.
#pragma once

#include "writer/trace_directory.hpp"

#include <cstdint>
#include <string>

namespace tactus::nccl {

// A number that is the same in all processes of a run. It comes from the token of `tactus run`, else from NCCL's id of
// the first communicator. Without either it is random, so each process has a separate trace.
std::uint64_t job_number(const std::string& run, std::uint64_t communicator);

// Returns the directory of that job, which the first process makes. It is a numbered neighbor if another trace has the
// name.
Result<std::string> join_job_directory(const TraceName& name, std::uint64_t job);

} // namespace tactus::nccl
