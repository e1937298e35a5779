// Puts the events of a rank in order, and says of each which one it is in its channel or group. Pure.
#pragma once

#include "postproc/replay/rank_events.hpp"

namespace tactus {

// As they were read: events in any order, equal ones by `order`; a receive's stamp is the tick at which it was posted,
// that of a collective's two events the number of the call, of `collectives`.
void order_events(RankEvents& rank, std::uint64_t collectives);

} // namespace tactus
