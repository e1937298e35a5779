#include "postproc/replay/match_events.hpp"

#include "postproc/replay/match_collectives.hpp"
#include "postproc/replay/match_messages.hpp"

namespace tactus {

MatchedEvents match_events(std::vector<RankEvents>& ranks, ReplayWire& wire) {
    MatchedEvents matched;
    matched.owned.resize(ranks.size());
    match_messages(ranks, wire, matched);
    match_collectives(ranks, wire, matched);
    for (RankEvents& rank : ranks) {
        rank.erase_unmatched();
        matched.messages += rank.own_messages;
        matched.signals += rank.own_signals;
        for (std::size_t i = 0; i < unmatched_count; ++i) {
            matched.unmatched[i] += rank.unmatched[i];
            matched.unmatched_others[i] += rank.unmatched_others[i];
        }
    }
    return matched;
}

} // namespace tactus
