// The recovery of one rank.
#pragma once

#include "postproc/recover/backup.hpp"
#include "postproc/recover/recover.hpp"

namespace tactus {

// Refuses a rank whose process still runs, or may run on another host. That and what else fails is in `problems`.
RankRecovery recover_rank(const RankFile& file, LaneSearch& search, Backup& backup, const RecoverSettings& settings);

} // namespace tactus
