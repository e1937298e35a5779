// What a report says of waiting.
#pragma once

#include "cli/report/report.hpp"

#include <string>

namespace tactus {

// "78.1 % parallel: load balance 90.0 %, serialization 95.0 %, transfer 91.3 %", or why it is not known; empty when
// nobody asked for it.
std::string efficiency_text(const RunWaits& waits);
// One sentence: how much is lost, who waits where, for whom, and why.
std::string largest_loss_text(const RunWaits& waits, SourceLines& lines);
// Another: what most waiting comes from in the end. Empty: there is little of it, or the run was not replayed.
std::string largest_root_text(const RunWaits& waits, SourceLines& lines);
void print_waits(Report& report);

} // namespace tactus
