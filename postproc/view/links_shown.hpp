// The messages, waits and collectives of a picture. Those that are alike, begin in the same slot and end in the same
// slot are added up. Slots are as wide as those of functions, or wider where there would be more than a picture can
// show.
#pragma once

#include "postproc/lod/links.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

class TimeLine;
struct ViewRequest;
struct View;

struct LinksShown {
    unsigned width_bits = 0; // slots are 2^width_bits units wide
    // Ordered by key. For messages `one` and `other` are the rows of sender and receiver. For waits `one` is the row
    // and `other` the WaitKind. For collectives `one` is the communicator's identity.
    std::vector<LinkSum> sums;
    bool wait_for_gathering = false; // slots can be narrower once all links are gathered
};

// `view` has the window. A thread that is in several rows counts to the first of them. Messages from or to threads in
// no row, and waits of these threads, are not shown.
LinksShown links_shown(const TimeLine& time_line, const ViewRequest& request, const View& view, LinkKind kind,
                       unsigned threads);

} // namespace tactus
