// Puts what was worked out into the ranks' files. Killed in the middle a file has no index, which is found again when
// it is read, and the trace can be finished again.
#pragma once

#include "postproc/finish/finish.hpp"

namespace tactus {

// What the file of a rank has to say more; nothing when it says it already. `quality`: it is the lowest rank's.
std::optional<Definitions> news_for(const RankFile& file, const ProcessClock& clock, const ClockQuality* quality);

Outcome append_to(const RankFile& file, const Definitions& more);

} // namespace tactus
