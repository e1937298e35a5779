// The plugin in this process: what the callbacks need, and how recording begins. It is made at the first communicator
// and never destroyed. NCCL unloads the library with its last communicator and loads it again with the next one, but it
// stays in memory (-z nodelete).
#pragma once

#include "collector/nccl/abi.hpp"
#include "collector/nccl/contexts.hpp"
#include "collector/nccl/rings.hpp"

#include <atomic>
#include <cstdint>

namespace tactus::nccl {

struct Plugin {
    Rings rings;
    Contexts contexts;
    std::uint32_t pid = 0;
    // Whether the calling thread is recorded now; nullptr: always.
    std::atomic<bool (*)()> is_recorded{nullptr};
    // Whether CUPTI reports kernels, so that launches are marked. It is set before the first launch.
    std::atomic<bool> marks_launches{false};
};

extern Plugin plugin;

// A hint: whether callbacks are recorded. That is from the first communicator to the end of the trace, but never in the
// child of a fork.
extern std::atomic<bool> takes_from;

// Called for each new communicator; the first call makes everything. `log` is NCCL's logger, or nullptr. Returns the
// context that NCCL keeps for the communicator.
void* begin_communicator(Context context, Logger log);
// The events that NCCL is asked for, the same for all communicators of the process. 0 when nothing is recorded.
int mask_of(int version);

} // namespace tactus::nccl
