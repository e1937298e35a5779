// One trace directory for all processes of a job, which know nothing of each other but what NCCL or a launcher says to
// all of them.
#pragma once

#include "writer/trace_directory.hpp"

#include <cstdint>
#include <string>

namespace tactus::nccl {

// The same in all processes of a run: by the token of `tactus run`, else by NCCL's id of the first communicator; else
// by chance, so that each process has a trace of its own.
std::uint64_t job_number(const std::string& run, std::uint64_t communicator);

// The directory of that job, made by the first who comes; a numbered neighbor if another trace has the name.
Result<std::string> join_job_directory(const TraceName& name, std::uint64_t job);

} // namespace tactus::nccl
