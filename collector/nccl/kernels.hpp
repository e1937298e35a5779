// The GPU's kernels by CUPTI, joined to the launches that NCCL tells of (VT_NCCL_CUPTI). Where this was built without
// CUPTI, begin() says so. CUPTI is of the process, and so is this.
#pragma once

#include "base/result.hpp"
#include "collector/nccl/assembly.hpp"
#include "collector/nccl/launch_mark.hpp"

namespace tactus::nccl::kernels {

// Loads CUPTI and has it tell of kernels. Fails where another tool in the process does so already. Once, before the
// first launch.
Outcome begin();

// On the thread that launches, around the call of CUDA. // hot
void launch_begins(LaunchMark mark);
void launch_ends();

// Of the drainer, where begin() went well:
// has CUPTI tell all that it knows, now and then;
void flush();
// what it told since the last time becomes records;
void take(Assembly& assembly);
// has it tell the rest, the last time, for take();
void end();
// lets it go: while CUDA is still there.
void let_go();

} // namespace tactus::nccl::kernels
