// The part of match_events() that matches collectives.
#pragma once

#include "postproc/replay/match_events.hpp"

namespace tactus {

void match_collectives(std::vector<RankEvents>& ranks, ReplayWire& wire, MatchedEvents& matched);

} // namespace tactus
