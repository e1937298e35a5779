// What one rank did that other ranks could observe: the moments at which something left it or reached it, in the order
// of its clock. Pure data.
//
//   a record of the trace                 its events
//   MPI_Send, MPI_Isend                   sends at enter
//   MPI_Recv, MPI_Wait of a receive       receives at leave
//   MPI_Probe that found a message        receives at leave, since the message had come; its receive adds nothing
//   MPI_Allreduce                         enters at enter, exits at leave
//   MPI_Bcast                             the same, but only the root gives, and only the others take
//   MPI_Win_complete, _wait               sends to each target at enter, receives from each origin at leave
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
    probe,      // becomes `receive` or `none` in order_events()
    enter,      // enters a collective, and gives nothing that others wait for
    enter_give, // enters a collective, and gives something
    exit,       // leaves a collective in which it waited for nobody
    exit_take,  // leaves a collective in which it waited for those that give
};
constexpr bool is_message(Role role) { return role >= Role::send && role <= Role::probe; }
constexpr bool is_enter(Role role) { return role == Role::enter || role == Role::enter_give; }
constexpr bool is_exit(Role role) { return role == Role::exit || role == Role::exit_take; }

struct Event {
    Ticks tick = 0;
    // Global time. Until the events are matched, a receive has here the tick at which it was posted.
    GlobalTime stamp = 0;
    // A message has here the number that its sender gave it (0: not known), which is needed until the events are
    // matched. A collective has Partners: from whom the call takes (enter), or to whom it gives (exit).
    std::uint64_t number = 0;
    std::uint32_t where = 0; // role() in the high bits, and index() in the low ones
    std::uint32_t order = 0; // position in its channel or among the collectives of its group, from 0

    static constexpr unsigned role_bits = 3;
    static constexpr unsigned role_shift = 32 - role_bits;
    static constexpr std::uint32_t most_indices = 1U << role_shift;
    [[nodiscard]] Role role() const { return static_cast<Role>(where >> role_shift); }
    // The index of a message's channel in RankEvents::channels, or of a collective's group in RankEvents::groups.
    [[nodiscard]] std::uint32_t index() const { return where & (most_indices - 1); }
    void set(Role role, std::uint32_t index) { where = static_cast<std::uint32_t>(role) << role_shift | index; }
};
static_assert(sizeof(Event) == 32);

// The members with which an event of a collective exchanges data: those it takes from (enter), or gives to (exit).
struct Partners {
    bool any = false;       // there is at least one
    std::uint32_t list = 0; // index in RankEvents::lists; 0: all those that the group's TakesFrom says
    bool root = false;      // enter: this member is the root
    [[nodiscard]] std::uint64_t as_number() const {
        return std::uint64_t{root} << 33 | std::uint64_t{any} << 32 | list;
    }
    static Partners from(std::uint64_t number) {
        return {(number >> 32 & 1) != 0, static_cast<std::uint32_t>(number), number >> 33 != 0};
    }
};

// Why an event has no counterpart. Each reason is a line in every report.
enum class Unmatched : std::uint8_t {
    outside,      // the other side is no rank of MPI_COMM_WORLD, or the communicator is not defined
    incomplete,   // records of a rank are missing: blocks lost, its file cut or not there
    not_recorded, // VT_traceoff or a filter kept calls of the channel out
    unequal,      // numbers of sends and receives differ: never received, cancelled, failed, freed before completion
    concurrent,   // several threads sent, or posted, at the same time, so the order is not known
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

// The tag of a channel whose messages are the ends of access epochs: the origin tells the targets of the epoch.
constexpr std::int32_t tag_of_windows = -1;

// Messages from this rank to another or from another to this one, on one communicator with one tag.
struct Channel {
    std::uint32_t peer = 0; // its rank in MPI_COMM_WORLD
    std::uint64_t comm = 0; // its identity
    std::int32_t tag = 0;
    std::uint64_t series = 0; // a window's identity, or which pair of partitioned requests; 0: ordinary messages
    bool outgoing = false;
    std::uint32_t count = 0; // events
    std::uint32_t lane = 0;  // lane of the first event
    bool threads = false;    // some events came from other lanes
    bool any_named = false;  // some messages have numbers
    bool overtaken = false;  // a message posted later has a lower number: only numbers can be trusted
    // Set when the two ranks' events are matched:
    bool used = false;
    bool by_number = false;  // only messages whose numbers are known count, and they are numbered in order
    std::uint32_t other = 0; // the index of this channel with the peer
    GlobalTime least = 0;    // minimum latency of its messages

    // True for messages of MPI_Send and other point-to-point calls. False for ends of windows' epochs and for
    // partitioned messages.
    [[nodiscard]] bool of_messages() const { return series == 0; }
};

// From whom a member of a group takes.
enum class TakesFrom : std::uint8_t {
    all,      // everybody that gives; in an intercommunicator, those of the other group
    lower,    // the members of lower rank: MPI_Scan, MPI_Exscan
    by_lists, // the members in its list: MPI_Alltoallv, neighborhood collectives
};

// The ranks that make collectives together: the members of a communicator or of a window. Each member has its own copy.
struct CollectiveGroup {
    std::uint64_t identity = 0; // the communicator's
    std::uint64_t window = 0;   // the window's; 0: collectives of a communicator
    TakesFrom takes_from{};
    std::uint32_t count = 0;  // collectives that this rank made
    std::uint32_t ahead = 0;  // collectives in which it waited for nobody
    std::uint32_t size = 0;   // members, in an intercommunicator of both groups
    std::uint32_t first = 0;  // members in the group that has the lowest rank of MPI_COMM_WORLD; intracommunicator: all
    std::uint32_t member = 0; // index of this rank among the members, which are ordered by group, then by rank
    std::uint32_t owner = 0;  // the member that matches them: the lowest rank in MPI_COMM_WORLD
    bool usable = true;       // false: a member is no rank of MPI_COMM_WORLD
    // Set when the members' events are matched:
    bool answered = false;
    bool used = false;
    std::uint32_t owners = 0; // the index of this group with its owner
};

} // namespace tactus
