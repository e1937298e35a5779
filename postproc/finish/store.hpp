// Appends what finish() computed to the ranks' files. If the process is killed in the middle, a file lacks its index.
// Readers find its blocks all the same, and the trace can be finished again.
#pragma once

#include "postproc/finish/finish.hpp"
#include "postproc/lod/rank_index.hpp"

#include <span>

namespace tactus {

// Returns the definitions that the file of the i-th rank of `finished` still lacks; nothing when it lacks none.
// `lowest`: the rank is the lowest of all, whose file holds what concerns all ranks.
std::optional<Definitions> news_for(const RankFile& file, const Finished& finished, std::size_t i, bool lowest);

// Makes the rank's time line by that clock; empty when the file already has it.
RankIndex index_for(const RankFile& file, const ProcessClock& clock);
// The same for the i-th rank of `finished`, together with its messages, waits and collectives.
RankIndex index_for(const RankFile& file, const Finished& finished, std::size_t i);

// Appends both to the file and closes it. Returns an error when the file cannot be opened or not all can be written.
Outcome append_to(const RankFile& file, std::span<const Bytes> blocks, const Definitions& more);

} // namespace tactus
