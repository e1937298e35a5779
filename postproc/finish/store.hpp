// Puts what was worked out into the ranks' files. Killed in the middle a file has no index, which is found again when
// it is read, and the trace can be finished again.
#pragma once

#include "postproc/finish/finish.hpp"

namespace tactus {

// What the file of a rank has to say more, which is the i-th of `finished`; nothing when it says it already. `lowest`:
// of all ranks, so that what is of all of them lies there.
std::optional<Definitions> news_for(const RankFile& file, const Finished& finished, std::size_t i, bool lowest);

Outcome append_to(const RankFile& file, const Definitions& more);

} // namespace tactus
