// The numbers of system calls in a trace. The include path chooses between this file and
// base/processor/x86_64/system_call_number.hpp.
#pragma once

namespace tactus::processor {

// Traces have the numbers of x86-64: this gives that of a call by which threads block. Others get more than it has.
long number_in_traces(long call);

} // namespace tactus::processor
