// One rank's part of a recovery.
#pragma once

#include "postproc/recover/backup.hpp"
#include "postproc/recover/recover.hpp"

namespace tactus {

RankRecovery recover_rank(const RankFile& file, LaneSearch& search, Backup& backup, const RecoverSettings& settings);

} // namespace tactus
