// The part of a report about waits, as text.
#pragma once

#include "cli/report/report.hpp"

#include <string>

namespace tactus {

// Returns text such as "78.1 % parallel: load balance 90.0 %, serialization 95.0 %, transfer 91.3 %", or why the
// efficiency is not known. Empty when it was not computed.
std::string efficiency_text(const RunWaits& waits);
// Returns a sentence about the largest loss: how much it is, which ranks wait where, for which ranks, and why.
std::string largest_loss_text(const RunWaits& waits, SourceLines& lines);
// Returns a sentence about the root cause of most waiting. Empty when there is little waiting, or the run was not
// replayed.
std::string largest_root_text(const RunWaits& waits, SourceLines& lines);
void print_waits(Report& report);

} // namespace tactus
