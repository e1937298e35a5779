// What the processor counted (VT_COUNTER), as text and JSON.
#pragma once

#include "cli/report/report.hpp"
#include "trace/processor_counts.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tactus {

// Why a rank that came late computed longer than those who wait for it, in the same time: ", with 2.3 times the
// instructions of those who wait", ", at 0.41 instructions a cycle (those who wait: 1.60)". The factor that explains
// most of it is named, with the cache misses where these differ, too. Empty where it is not known, or not much longer.
std::string counts_text(const WaitRoot& root);

// Why the inside of computation is not known: "" where it is.
std::string no_counts_text(const Trace& trace);

void print_counts(const Report& report);
// null where nothing is known.
nlohmann::ordered_json counts_json(const ProcessorCounts& counts);

} // namespace tactus
