// The one plugin of this process: what callbacks need, and its life. Made at the first communicator, never destroyed:
// NCCL unloads the library when its last communicator goes and loads it again with the next, but it stays in memory
// (-z nodelete).
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
    // Whether CUPTI tells of kernels: launches are marked. From before the first on.
    std::atomic<bool> marks_launches{false};
};

extern Plugin plugin;

// Callbacks are taken: from the first communicator to the end of the trace; never in the child of a fork. A hint.
extern std::atomic<bool> takes_from;

// The first time everything is made; `log` is NCCL's, or nullptr. Gives what NCCL keeps of the communicator.
void* begin_communicator(Context context, Logger log);
// What NCCL is asked for: the same for all communicators of the process. 0 when nothing is recorded.
int mask_of(int version);

} // namespace tactus::nccl
