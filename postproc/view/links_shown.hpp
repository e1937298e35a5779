// The messages, waits and collectives of a picture: those that are alike, begin in one slot and end in one slot, are
// one. Their slots are as wide as those of functions, or wider where that would be more than a picture can show.
#pragma once

#include "postproc/lod/links.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

class TimeLine;
struct ViewRequest;
struct View;

struct LinksShown {
    unsigned width_bits = 0; // of their slots
    // By place: slots of the grid, then of messages the row of the sender and that of the receiver, of waits the row
    // and the WaitKind, of collectives the communicator's identity.
    std::vector<LinkSum> sums;
    bool wait_for_gathering = false; // when all are gathered their slots can be narrower
};

// `view` says which window. A thread that is in several rows is in the first of them; messages from or to others, and
// waits of others, are not shown.
LinksShown links_shown(const TimeLine& time_line, const ViewRequest& request, const View& view, LinkKind kind,
                       unsigned threads);

} // namespace tactus
