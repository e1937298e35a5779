// Collectives of a trace, brought together: who was in which one, and what each brought. The k-th one that a rank makes
// on a communicator is the same as every other member's k-th (MPI-4.0, 6.14: all members make them in the same order).
// Communicators of which some were not recorded, or whose members' records are not complete, have none; nor have
// intercommunicators. Pure; one thread.
#pragma once

#include "postproc/messages/pairing.hpp"
#include "trace/function.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tactus {

// One collective while it lasts. Times in ns.
struct CompensatedMeeting {
    Pattern pattern{};
    std::uint32_t size = 0; // members
    std::uint32_t came = 0;
    std::uint32_t left = 0;
    double entered = 0;   // when the last of them came
    double undelayed = 0; // when the last would have come without the tracer
    // Of those that not everybody waits for; NaN: has not come.
    struct Member {
        double entered = std::numeric_limits<double>::quiet_NaN();
        double undelayed = 0;
    };
    std::vector<Member> members; // by rank in the communicator
    std::uint32_t root = 0;
    Member at_root;
    std::vector<std::size_t> waiting;
};

using MeetingKey = std::uint64_t; // 0: none

class Meetings {
  public:
    Meetings(const Trace& trace, const Pairing& pairing);

    // The next collective of this rank on that communicator, begun at that tick; 0 when it cannot be told which one.
    MeetingKey join(std::size_t rank, std::uint32_t comm, Ticks enter, Pattern pattern, std::int32_t root,
                    double entered, double undelayed);
    // Whoever is to be told when somebody comes to it.
    [[nodiscard]] std::vector<std::size_t>& waiting(MeetingKey key);
    // What a member has to wait for: false while somebody it needs has not come.
    struct Needed {
        double entered;
        double undelayed;
        bool nobody; // it waits for nobody
    };
    bool look(MeetingKey key, std::size_t rank, std::uint32_t comm, Needed& needed) const;
    // A member that has been told; the last one ends it.
    void leave(MeetingKey key, std::size_t rank);

  private:
    struct Calls {
        std::vector<Ticks> enters; // of several threads, in time order; else empty
        std::uint64_t made = 0;
        Ticks last = 0;             // enter
        std::uint64_t repeated = 0; // several of one MPI_Startall
    };
    struct Rank {
        const RankFile* file = nullptr;
        bool usable = false;
        std::unordered_map<std::uint32_t, Calls> calls; // by communicator
        std::unordered_set<MeetingKey> inside;
    };
    void order_of_threads(Rank& rank);

    std::vector<Rank> ranks_;
    const Pairing& pairing_;
    std::unordered_map<MeetingKey, CompensatedMeeting> meetings_;
    std::vector<std::size_t> nobody_;
};

} // namespace tactus
