// Finishes a trace in threads of one process, each of which plays a block of the ranks.
#pragma once

#include "postproc/finish/finish.hpp"

namespace tactus {

// Gives the same as finish() with a LonelyWire, bit for bit. Only the caller's thread calls `tell`.
Finished finish_in_threads(const Trace& trace, std::uint32_t threads, const FinishOptions& options,
                           const TellProgress& tell);

} // namespace tactus
