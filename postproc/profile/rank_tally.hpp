// What one rank's records say of a window added up, in its own ticks and addresses: the exact part of a profile, before
// ranks are put together.
#pragma once

#include "postproc/profile/window.hpp"
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
    Ticks time = 0; // in the window
    Ticks sum = 0;  // of the calls counted, as long as they are; so the next two
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
    TickWindow window;
    std::unordered_map<CallKey, Tally, CallKeyHash> calls;
    std::map<std::uint32_t, Sent> sent; // by the receiver's world rank
    std::uint64_t unplaced = 0;         // messages to someone who is no rank of MPI_COMM_WORLD
    std::uint64_t comments = 0;         // of VT.h
    std::uint64_t lanes = 0;            // that ran in the window
    Ticks first = ~Ticks{0};            // of all calls, in the window or not, as far as it matters there
    Ticks last = 0;
    Ticks measuring = 0; // clocks
    std::vector<Error> unreadable;

    [[nodiscard]] Ticks wall() const { return window.part_of(first, last); }
    void add_lane(const RankFile& file, LaneBlocks lane);

  private:
    struct Spent {
        Ticks whole = 0;
        Ticks in_window = 0;
    };
    struct Interval {
        Ticks enter;
        Ticks leave;
    };
    std::vector<Interval> nested_; // in the lane being walked, whose outer call is still to come

    void reach(Ticks enter, Ticks leave);
    Spent time_of_nested(const Record& record);
    Spent own_time(const Record& record);
    void add(const RankFile& file, const Record& record, Words words);
    void add_call(const RankFile& file, const Record& record, Words words);
    void add_messages(const RankFile& file, const Record& record, Words words);
};

RankTally tally_rank(const RankFile& file, const TickWindow& window);

} // namespace tactus
