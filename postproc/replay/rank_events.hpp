// The events of one rank, read from its file. One thread.
#pragma once

#include "base/paged_list.hpp"
#include "postproc/replay/event.hpp"
#include "postproc/replay/message.hpp"
#include "trace/rank_file.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace tactus {

// Of which call a message's event is.
struct EventOrigin {
    std::uint64_t bytes = 0; // sent, or received
    std::uint32_t lane = 0;
    std::uint32_t unused = 0;
};

struct RankEvents {
    std::uint32_t rank = 0;
    PagedList<Event> events;        // by tick; at equal ticks what is taken stands before what is given
    PagedList<EventOrigin> origins; // of each event, in their order; empty: nobody asked
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
    std::vector<Message> own;   // those that this rank sent to itself, which are not among the events
    // Without a counterpart, as far as its own records say so; match_events() counts all.
    CountsByReason unmatched{};        // messages
    CountsByReason unmatched_others{}; // collectives, epochs of windows, partitioned messages
    std::vector<Error> unreadable;
    std::uint64_t records = 0;
    std::uint64_t calls = 0;
    std::vector<std::uint32_t> lanes; // their numbers

    bool cut = false;        // it did not reach MPI_Finalize: its last calls are missing, and no others
    bool left_posts = false; // receives were posted that never completed
    // Whether messages like those of that channel, or collectives like those of that group, were kept out of the
    // trace.
    [[nodiscard]] bool keeps_out(const Channel& channel) const;
    [[nodiscard]] bool keeps_out(const CollectiveGroup& group) const;

    // Those that have no role any more.
    void erase_unmatched();
};

// Beyond them reading stops, and says `too_many`.
struct ReadingLimits {
    PagingTo paging; // where the events lie
    std::size_t most = std::numeric_limits<std::size_t>::max();
    std::function<bool()> stop = {}; // asked now and then
    // Nothing but messages, those of the rank to itself among the events, with their origins; the stamp of one received
    // is the tick at which its receive returned, also where a probe had found it before.
    bool only_messages = false;
};

// Roles by function: what MPI promises (MPI-4.0, 6.1 and 3.5), of MPI_Comm_split and the like that nobody leaves before
// the last has come, and of windows what Epochs says. Of passive target nothing is said.
RankEvents events_of(const RankFile& file, const ReadingLimits& limits = {});

} // namespace tactus
