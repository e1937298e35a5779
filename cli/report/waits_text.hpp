// The part of a report about waits, as text.
#pragma once

#include "cli/report/report.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tactus {

// Returns text such as "78.1 % parallel: load balance 90.0 %, serialization 95.0 %, transfer 91.3 %", or why the
// efficiency is not known. Empty when it was not computed.
std::string efficiency_text(const RunWaits& waits);
// Returns text such as "half of it", "nearly all of it", "41.4 % of it".
std::string part_text(double share);
// Returns text such as "MPI_Recv at a.c:1 in exchange", and who called that function if it is a wrapper. `rank`: of
// this rank alone.
std::string call_in_function(Function function, const Place& place, Callers& callers, Callers::Time time,
                             std::optional<std::uint32_t> rank = {});
// Whether there is a wait that is worth naming.
bool has_loss(const RunWaits& waits);
// Returns a sentence about the largest loss: how much it is, which ranks wait where, for which ranks, and why.
std::string largest_loss_text(const RunWaits& waits, const Profile& profile, Callers& callers);
// Returns a sentence about the root cause of most waiting. Empty when there is little waiting, or the run was not
// replayed.
std::string largest_root_text(const RunWaits& waits, Callers& callers);
void print_waits(Report& report);

} // namespace tactus
