// The numbers of system calls in a trace. The include path chooses between this file and
// base/processor/aarch64/system_call_number.hpp.
#pragma once

namespace tactus::processor {

// Traces have the numbers of this processor's system calls.
inline long number_in_traces(long call) { return call; }

} // namespace tactus::processor
