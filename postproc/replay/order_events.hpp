// Sorts the events of a rank, and numbers them in their channels and groups. Pure.
#pragma once

#include "postproc/replay/rank_events.hpp"

namespace tactus {

// Takes the events as they were read, in any order; events that are equal keep the order that `order` gives them. The
// stamp of a receive or probe is the tick at which it was posted. The stamp of a collective's two events is the number
// of the call, which is below `collectives`. Returns false, with errno set, when there is no room for the origins in
// their new order (`paging`); the events are of no use then.
[[nodiscard]] bool order_events(RankEvents& rank, std::uint64_t collectives, const PagingTo& paging);

} // namespace tactus
