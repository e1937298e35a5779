// The events of one rank, read from its file. One thread.
#pragma once

#include "base/paged_list.hpp"
#include "postproc/replay/event.hpp"
#include "trace/rank_file.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace tactus {

struct RankEvents {
    std::uint32_t rank = 0;
    PagedList<Event> events; // by tick; at equal ticks what is taken stands before what is given
    std::vector<Channel> channels;
    std::vector<CollectiveGroup> groups;
    std::vector<std::vector<std::uint32_t>> lists; // of members; the first one stands for everybody
    bool too_many = false;                         // or no room for them (`unreadable` says so), or no time
    bool complete = true;                          // no record is missing that may have been of a message
    struct KeptOut {
        std::uint32_t peer = 0;
        std::uint64_t comm = 0; // identity
        Direction direction{};
        auto operator<=>(const KeptOut&) const = default;
    };
    std::set<KeptOut> kept_out; // by VT_traceoff or a filter; of collectives and windows `peer` is 0
    std::array<std::uint64_t, unmatched_count> unmatched{}; // messages and collectives
    std::vector<Error> unreadable;
    std::uint64_t records = 0;
    std::uint64_t calls = 0;
    std::vector<std::uint32_t> lanes; // their numbers

    bool cut = false;        // it did not reach MPI_Finalize: its last calls are missing, and no others
    bool left_posts = false; // receives were posted that never completed
    // Whether messages like those of that channel, or collectives like those of that circle, were kept out of the
    // trace.
    [[nodiscard]] bool keeps_out(const Channel& channel) const;
    [[nodiscard]] bool keeps_out(const CollectiveGroup& group) const;

    void leave_out(Unmatched reason, std::uint64_t count) { unmatched[static_cast<std::size_t>(reason)] += count; }
};

// Beyond them reading stops, and says `too_many`.
struct ReadingLimits {
    PagingTo paging; // where the events lie
    std::size_t most = std::numeric_limits<std::size_t>::max();
    std::function<bool()> stop = {}; // asked now and then
};

// Roles by function: what MPI promises (MPI-4.0, 6.1 and 3.5), of MPI_Comm_split and the like that nobody leaves before
// the last has come, and of windows what Epochs says. Of messages to oneself and of passive target nothing is said.
RankEvents events_of(const RankFile& file, const ReadingLimits& limits = {});

} // namespace tactus
