// The collectives' part of match_events().
#pragma once

#include "postproc/replay/match_events.hpp"

namespace tactus {

void match_collectives(std::vector<RankEvents>& ranks, ReplayWire& wire, MatchedEvents& matched);

} // namespace tactus
