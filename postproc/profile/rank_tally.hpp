// One rank's records added up, in its own ticks and addresses: the exact part of a profile, before ranks are put
// together.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace tactus {

struct Tally {
    std::uint64_t calls = 0;
    std::uint64_t failed = 0;
    Ticks time = 0;
    Ticks shortest = ~Ticks{0};
    Ticks longest = 0;
    std::uint64_t sent_bytes = 0;
    std::uint64_t received_bytes = 0;
};

struct CallKey {
    std::uint64_t address = 0;
    Function function{};
    bool operator==(const CallKey&) const = default;
};
struct CallKeyHash {
    std::size_t operator()(const CallKey& key) const {
        return static_cast<std::size_t>((key.address ^ static_cast<std::uint64_t>(key.function) << 48) *
                                        0x9e3779b97f4a7c15);
    }
};

struct Sent {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

struct RankTally {
    std::unordered_map<CallKey, Tally, CallKeyHash> calls;
    std::map<std::uint32_t, Sent> sent; // by the receiver's world rank
    std::uint64_t unplaced = 0;         // messages to someone who is no rank of MPI_COMM_WORLD
    std::uint64_t comments = 0;         // of VT.h
    std::uint64_t lanes = 0;
    Ticks first = ~Ticks{0};
    Ticks last = 0;
    std::vector<Error> unreadable;

    struct Interval {
        Ticks enter;
        Ticks leave;
    };
    std::vector<Interval> nested; // in the lane being walked, whose outer call is still to come

    Ticks time_of_nested(const Record& record);
    void add(const RankFile& file, const Record& record, Words words);
};

RankTally tally_rank(const RankFile& file);

} // namespace tactus
