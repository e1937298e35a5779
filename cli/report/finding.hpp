// The most important result of a run, in one sentence.
#pragma once

#include "cli/report/report.hpp"

#include <string>

namespace tactus {

// Names the largest part of the time that is not the application's, and where: MPI without waiting, I/O, the tracer, or
// being asleep outside of MPI, where such a part is larger than all waiting, and start and end, where that is half of
// the time or a rank started late; else the largest wait. Threads without a core are named where there is no wait worth
// naming, or where they explain the rank that is waited for most. The waits of the report must be known.
std::string finding_text(Report& report);

} // namespace tactus
