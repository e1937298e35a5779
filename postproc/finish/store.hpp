// Puts what was worked out into the ranks' files. Killed in the middle a file has no index, which is found again when
// it is read, and the trace can be finished again.
#pragma once

#include "postproc/finish/finish.hpp"
#include "postproc/lod/rank_index.hpp"

#include <span>

namespace tactus {

// What the file of a rank has to say more, which is the i-th of `finished`; nothing when it says it already. `lowest`:
// of all ranks, so that what is of all of them lies there.
std::optional<Definitions> news_for(const RankFile& file, const Finished& finished, std::size_t i, bool lowest);

// Its time line by that clock; nothing when the file has it.
RankIndex index_for(const RankFile& file, const ProcessClock& clock);
// The same with its messages, waits and collectives.
RankIndex index_for(const RankFile& file, const Finished& finished, std::size_t i);

Outcome append_to(const RankFile& file, std::span<const Bytes> blocks, const Definitions& more);

} // namespace tactus
