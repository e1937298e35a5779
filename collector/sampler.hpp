// Looks at what all threads of this process do, from tactus's own thread: at those on a core through the kernel's
// samples (sampling/perf_ring.hpp), at those that are blocked through /proc (sampling/sleeping.hpp), at those that run
// Python through what its interpreter keeps (sampling/python.hpp), at those that make a call through copies of their
// stacks (call_stacks.hpp). The samples go into a lane of their own (trace/sample.hpp).
#pragma once

#include "base/options/rules.hpp"
#include "trace/definitions.hpp"

#include <cstdint>

namespace tactus {

// Called once, when the trace is open. `per_second`: samples of each thread in a second on a core; 0: neither of these
// nor of blocked threads. `levels`: which callers of a call are recorded. Returns whether threads are to copy their
// stacks for that.
bool begin_sampling(std::uint64_t per_second, CallLevels levels, double tick_ns);

// Called by the background thread, again after as many nanoseconds as it returns.
std::int64_t look_at_threads();

// Called once, when the background thread has stopped: the last samples, and what is to be said of all of them.
// Nothing, where there are none.
std::vector<Sampling> end_sampling();

} // namespace tactus
