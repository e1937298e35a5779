// Records the GPU's kernels, which CUPTI reports, and joins them to the launches that NCCL reports (VT_NCCL_CUPTI).
// Where this was built without CUPTI, begin() fails with that message. A process has one CUPTI, and so one of this.
#pragma once

#include "base/result.hpp"
#include "collector/nccl/assembly.hpp"
#include "collector/nccl/launch_mark.hpp"

namespace tactus::nccl::kernels {

// Loads CUPTI and makes it report kernels. Fails where another tool in the process uses CUPTI already. Called once,
// before the first launch.
Outcome begin();

// Called on the thread that launches, before and after the CUDA call. hot
void launch_begins(LaunchMark mark);
void launch_ends();

// The drainer calls these, where begin() succeeded.
// Makes CUPTI deliver what it has. Called now and then.
void flush();
// Turns what CUPTI has delivered since the last time into records.
void take(Assembly& assembly);
// Makes CUPTI deliver the rest, for the last take().
void end();
// Gives CUPTI up. Called while CUDA still exists.
void let_go();

} // namespace tactus::nccl::kernels
