// The GPU's kernels by CUPTI, joined to the launches that NCCL tells of (VT_NCCL_CUPTI). Where this was built without
// CUPTI, begin() says so. CUPTI is of the process, and so is this.
#pragma once

#include "base/result.hpp"
#include "nccl/assembly.hpp"
#include "nccl/launch_mark.hpp"
#include "nccl/trace_rows.hpp"

namespace tactus::nccl::kernels {

// Loads CUPTI and has it tell of kernels. Fails where another tool in the process does so already. Once, before the
// first launch.
Outcome begin();

// On the thread that launches, around the call of CUDA. // hot
void launch_begins(LaunchMark mark);
void launch_ends();

// What CUPTI told since the last time becomes records. By the drainer; `last`: behind end().
void take(Assembly& assembly, TraceRows& rows, bool last);
// Has CUPTI tell all that it knows. By the drainer, now and then.
void flush();
// The same, the kernels that still run included, and the last time: CUPTI is let go. Any thread; before CUDA ends.
void end();

} // namespace tactus::nccl::kernels
