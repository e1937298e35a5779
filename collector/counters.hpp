// The counters of the processor that VT_COUNTER switches on. Each thread that makes calls opens its own at its first
// reading of what the system counts, and reads them with it (stretches.hpp).
#pragma once

#include "base/counted_events.hpp"
#include "base/options/options.hpp"
#include "sampling/thread_counters.hpp"
#include "trace/definitions.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

// Called once, by the thread that calls MPI_Init, before any thread reads. It tries the counters in that thread, and
// tells which ones are refused. `complaint` is a line about what VT_COUNTER asks for in vain, or empty.
std::vector<ProcessorCounter> begin_counters(const Options& options, std::string& complaint);

std::size_t counters_read(); // how many words a stretch has for them

void open_counters(ThreadCounters& counters); // of the calling thread
std::array<std::int64_t, most_counters> read_counters(ThreadCounters& counters);
void close_counters(ThreadCounters& counters);
// In the child of a fork: closes the descriptors of all threads. Keeps errno.
void forget_counters(ThreadCounters& counters);

// No thread counts on. Returns what begin_counters() told, with how much of the time was counted. Called once, at the
// end.
std::vector<ProcessorCounter> end_counters();

} // namespace tactus
