// Which sources of facts a report had to do without.
#pragma once

#include "cli/report/report.hpp"

#include <string>

namespace tactus {

// What is not known of the run because the system, the kernel or an option did not let it be known, and why; empty if
// nothing is missing. Counters of the processor and source lines have sections of their own.
std::string missing_text(const Report& report);

} // namespace tactus
