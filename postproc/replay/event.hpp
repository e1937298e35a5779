// What one rank did that others could see: the moments at which something left it or reached it, in the order of its
// clock. Pure data.
//
//   a record of the trace                 its events
//   MPI_Send, MPI_Isend                   sends at enter
//   MPI_Recv, MPI_Wait of a receive       receives at leave
//   MPI_Probe that found a message        receives at leave: the message had come; its receive adds nothing
//   MPI_Allreduce                         enters at enter, exits at leave
//   MPI_Bcast                             the same, but only the root gives, only the others take
//   MPI_Win_complete, _wait               sends to each target at enter, receives of each origin at leave
#pragma once

#include "base/ticks.hpp"
#include "trace/function.hpp"
#include "trace/time_map.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

enum class Role : std::uint8_t {
    none,
    send,
    receive,
    probe,      // only while events are brought together
    enter,      // of a collective, giving nothing that others wait for
    enter_give, // giving something
    exit,       // of a collective, having waited for nobody
    exit_take,  // having waited for those that give
};
constexpr bool is_message(Role role) { return role >= Role::send && role <= Role::probe; }
constexpr bool is_enter(Role role) { return role == Role::enter || role == Role::enter_give; }
constexpr bool is_exit(Role role) { return role == Role::exit || role == Role::exit_take; }

struct Event {
    Ticks tick = 0;
    // Global time. While events are brought together: of a receive the tick at which it was posted.
    GlobalTime stamp = 0;
    // While events are brought together: of a message the number that its sender gave it (0: not known). Of a
    // collective a Partners: from whom this call takes (enter), or to whom it gives (exit).
    std::uint64_t number = 0;
    std::uint32_t where = 0; // the role above, and below it index()
    std::uint32_t order = 0; // which one there, from 0

    static constexpr unsigned role_bits = 3;
    static constexpr unsigned role_shift = 32 - role_bits;
    static constexpr std::uint32_t most_indices = 1U << role_shift;
    [[nodiscard]] Role role() const { return static_cast<Role>(where >> role_shift); }
    // Of its channel in RankEvents::channels; of a collective of its group in RankEvents::groups.
    [[nodiscard]] std::uint32_t index() const { return where & (most_indices - 1); }
    void set(Role role, std::uint32_t index) { where = static_cast<std::uint32_t>(role) << role_shift | index; }
};
static_assert(sizeof(Event) == 32);

// With whom, on the other side of a collective, a member's event has to do.
struct Partners {
    bool any = false;       // there are some
    std::uint32_t list = 0; // in RankEvents::lists; 0: everybody that its group's TakesFrom says
    bool root = false;      // enter: this member is the root
    [[nodiscard]] std::uint64_t as_number() const {
        return std::uint64_t{root} << 33 | std::uint64_t{any} << 32 | list;
    }
    static Partners from(std::uint64_t number) {
        return {(number >> 32 & 1) != 0, static_cast<std::uint32_t>(number), number >> 33 != 0};
    }
};

// Why events have no counterpart. One row here, one line in every report.
enum class Unmatched : std::uint8_t {
    outside,      // the other side is no rank of MPI_COMM_WORLD, or the communicator is not defined
    incomplete,   // records of a rank are missing: blocks lost, its file cut or not there
    not_recorded, // VT_traceoff or a filter kept calls of the channel out
    unequal,      // sends and receives are not as many: never received, cancelled, failed, freed before completion
    concurrent,   // several threads sent, or posted, at the same time: the order is not known
};
constexpr std::size_t unmatched_count = 5;
inline constexpr std::array<const char*, unmatched_count> unmatched_names = {"outside", "incomplete", "not_recorded",
                                                                             "unequal", "concurrent"};
inline constexpr std::array<const char*, unmatched_count> unmatched_meanings = {
    "to or from processes outside MPI_COMM_WORLD", "of ranks whose records are not complete",
    "on channels that VT_traceoff or a filter kept out in part", "sent or received without a counterpart",
    "of threads that sent or received at the same time"};
using CountsByReason = std::array<std::uint64_t, unmatched_count>;
inline std::uint64_t& because(CountsByReason& counts, Unmatched reason) {
    return counts[static_cast<std::size_t>(reason)];
}

// The end of an access epoch, as a message to those whose memory it was about.
constexpr std::int32_t tag_of_windows = -1;

// Messages from this rank to another, or from another to this, on one communicator with one tag.
struct Channel {
    std::uint32_t peer = 0; // its rank in MPI_COMM_WORLD
    std::uint64_t comm = 0; // its identity
    std::int32_t tag = 0;
    std::uint64_t series = 0; // apart from others: a window's identity, which pair of partitioned requests
    bool outgoing = false;
    std::uint32_t count = 0; // events
    std::uint32_t lane = 0;  // of the first of them
    bool threads = false;    // others came from other lanes
    bool any_named = false;  // messages have numbers
    bool overtaken = false;  // numbers of messages posted later are lower: nothing but numbers can be trusted
    // Once the two ranks' events were matched:
    bool used = false;
    bool by_number = false;  // the order is that of the messages whose numbers are known
    std::uint32_t other = 0; // the number of this channel with the peer
    GlobalTime least = 0;    // no message takes less

    // A message of MPI_Send and the like; else an epoch of a window ends, or a partitioned message is sent.
    [[nodiscard]] bool of_messages() const { return series == 0; }
};

// From whom a member of a group takes.
enum class TakesFrom : std::uint8_t {
    all,      // everybody that gives, in an intercommunicator those of the other group
    lower,    // those of lower ranks: MPI_Scan, MPI_Exscan
    by_lists, // those that its list names: MPI_Alltoallv, neighbors
};

// Those who make collectives together: the members of a communicator, or of a window.
struct CollectiveGroup {
    std::uint64_t identity = 0; // the communicator's
    std::uint64_t window = 0;   // the window's; 0: of none
    TakesFrom takes_from{};
    std::uint32_t count = 0; // collectives that this rank made
    std::uint32_t ahead = 0; // of these it waited in none for anybody
    std::uint32_t size = 0;  // members, of both groups
    std::uint32_t first = 0; // of them in the group with the lowest of MPI_COMM_WORLD; `size` but in intercommunicators
    std::uint32_t member = 0; // which of them this rank is: by group, then by rank
    std::uint32_t owner = 0;  // rank in MPI_COMM_WORLD that brings them together: the lowest
    bool usable = true;       // false: members that are no ranks of MPI_COMM_WORLD
    // Once the members' events were matched:
    bool answered = false;
    bool used = false;
    std::uint32_t owners = 0; // the number of this group with its owner
};

} // namespace tactus
