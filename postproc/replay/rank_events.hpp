// Reads the events of one rank from its file. Used by one thread.
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

// The size of an event's message, and the lane of its call.
struct EventOrigin {
    std::uint64_t bytes = 0; // as sent, or as received
    std::uint32_t lane = 0;
    std::uint32_t unused = 0;
};

struct RankEvents {
    std::uint32_t rank = 0;
    PagedList<Event> events;        // by tick; at equal ticks, events that take are before events that give
    PagedList<EventOrigin> origins; // one for each event, in the same order, where `own` or only_messages say so
    std::vector<Channel> channels;
    std::vector<CollectiveGroup> groups;
    std::vector<std::vector<std::uint32_t>> lists; // of members; the first list stands for everybody
    bool too_many = false;                         // reading stopped: limit, no room (then also in `unreadable`), time
    bool complete = true;                          // no record is missing that may have been about a message
    struct KeptOut {
        std::uint32_t peer = 0;
        std::uint64_t comm = 0; // identity
        Direction direction{};
        auto operator<=>(const KeptOut&) const = default;
    };
    std::set<KeptOut> kept_out; // by VT_traceoff or a filter; for collectives and windows `peer` is 0
    // The events of messages of this rank to itself, which are not among those above: matched already, with origins.
    // There is one element or none. for_each_matched(own, ...) hands out the messages.
    std::vector<RankEvents> own;
    std::uint64_t own_messages = 0;
    std::uint64_t own_signals = 0; // ends of windows' epochs and partitioned messages, which are in `own`, too
    // What has no counterpart, as far as the rank's own records tell. match_events() adds these to its counts.
    CountsByReason unmatched{};        // messages
    CountsByReason unmatched_others{}; // collectives, epochs of windows, partitioned messages
    std::vector<Error> unreadable;
    std::uint64_t records = 0;
    std::uint64_t calls = 0;
    std::vector<std::uint32_t> lanes; // the numbers of its lanes

    bool cut = false;        // it did not reach MPI_Finalize: its last calls are missing, and no others
    bool left_posts = false; // some receives were posted and never completed
    // Whether messages of the same peer, communicator and direction, or collectives of the same communicator or window,
    // were kept out of the trace.
    [[nodiscard]] bool keeps_out(const Channel& channel) const;
    [[nodiscard]] bool keeps_out(const CollectiveGroup& group) const;

    // Erases the events whose role is `none`, and their origins.
    void erase_unmatched();
};

// How to read. When there are more than `most` events, or `stop` returns true, reading stops and sets `too_many`.
struct ReadingLimits {
    PagingTo paging; // where the events are stored
    std::size_t most = std::numeric_limits<std::size_t>::max();
    std::function<bool()> stop = {}; // called after every 65,536 records
    // Reads messages and nothing else. Messages of the rank to itself are among the events then, and events have
    // origins. The stamp of a received message is the tick at which its receive returned, even if a probe found it
    // before.
    bool only_messages = false;
};

// Gives the events of a rank in order, and numbered in their channels and groups. Their roles follow what MPI promises
// (MPI-4.0, 6.1 and 3.5). Nobody leaves MPI_Comm_split, MPI_Comm_split_type or MPI_Dist_graph_create before the last
// member has entered. For windows Epochs decides, and passive target synchronization orders nothing. What could not be
// read is in `unreadable`.
RankEvents events_of(const RankFile& file, const ReadingLimits& limits = {});

} // namespace tactus
