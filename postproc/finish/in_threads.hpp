// Finishing in threads of one process, each playing a block of the ranks.
#pragma once

#include "postproc/finish/finish.hpp"

namespace tactus {

// The same as finish() with a LonelyWire, bit for bit. `tell` is called by the caller's thread alone.
Finished finish_in_threads(const Trace& trace, std::uint32_t threads, const FinishOptions& options,
                           const TellProgress& tell);

// One more than the highest rank that the trace has, or speaks of.
std::uint32_t ranks_of(const Trace& trace);

} // namespace tactus
