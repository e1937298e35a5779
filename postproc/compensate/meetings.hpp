// Collectives of a trace, brought together: who was in which one, and what each brought. The k-th one that a rank makes
// on a communicator is the same as every other member's k-th (MPI-4.0, 6.14: all members make them in the same order).
// Communicators of which some were not recorded, or whose members' records are not complete, have none; nor have
// intercommunicators. Pure; one thread.
#pragma once

#include "postproc/messages/pairing.hpp"
#include "trace/function.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tactus {

// One collective while it lasts. Times in ns.
struct Meeting {
    Pattern pattern{};
    std::uint32_t size = 0; // members
    std::uint32_t came = 0;
    std::uint32_t left = 0;
    double entered = 0;   // when the last of them came
    double undelayed = 0; // when the last would have come without the tracer
    // Of those that not everybody waits for: by rank in the communicator; NaN: has not come.
    struct Member {
        double entered;
        double undelayed;
    };
    std::vector<Member> members;
    std::uint32_t root = 0;
    std::vector<std::size_t> waiting; // whoever is to be told when somebody comes
};

using MeetingKey = std::uint64_t; // 0: none

class Meetings {
  public:
    Meetings(const Trace& trace, const Pairing& pairing);

    // The next collective of this rank on that communicator, begun at that tick; 0 when it cannot be told which one.
    MeetingKey join(std::size_t rank, std::uint32_t comm, Ticks enter, Pattern pattern, std::int32_t root,
                    double entered, double undelayed);
    [[nodiscard]] Meeting& at(MeetingKey key) { return meetings_.at(key); }
    // What a member has to wait for: false while somebody it needs has not come.
    struct Needed {
        double entered;
        double undelayed;
        bool nobody; // it waits for nobody
    };
    bool look(MeetingKey key, std::size_t rank, std::uint32_t comm, Needed& needed) const;
    // A member that has been told; the last one ends it.
    void leave(MeetingKey key);

  private:
    struct Calls {
        std::vector<Ticks> enters; // of several threads, in time order; else empty
        std::uint64_t made = 0;
    };
    struct Rank {
        const RankFile* file = nullptr;
        bool usable = false;
        std::unordered_map<std::uint32_t, Calls> calls; // by communicator
    };
    void order_of_threads(Rank& rank);

    std::vector<Rank> ranks_;
    const Pairing& pairing_;
    std::unordered_map<MeetingKey, Meeting> meetings_;
};

} // namespace tactus
