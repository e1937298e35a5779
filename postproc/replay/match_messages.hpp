// The part of match_events() that matches messages.
#pragma once

#include "postproc/replay/match_events.hpp"

namespace tactus {

void match_messages(std::vector<RankEvents>& ranks, ReplayWire& wire, MatchedEvents& matched);

} // namespace tactus
