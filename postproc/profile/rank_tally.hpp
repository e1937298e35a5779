// Adds up the records of one rank in a window, in the rank's own ticks and addresses. This part of a profile is exact.
// profile.cpp combines the ranks.
#pragma once

#include "postproc/profile/core_time.hpp"
#include "postproc/profile/finalize_waits.hpp"
#include "postproc/profile/samples.hpp"
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
    Ticks sum = 0;  // whole lengths of the calls counted, as are the next two
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
    std::map<std::uint32_t, Sent> sent; // by the receiver's rank in MPI_COMM_WORLD
    std::uint64_t unplaced = 0;         // messages whose receiver is no rank of MPI_COMM_WORLD
    std::uint64_t comments = 0;         // of VT.h
    std::uint64_t lanes = 0;            // threads that ran in the window
    Ticks first = ~Ticks{0};            // first enter and last leave of all calls, exact as far as wall() needs it
    Ticks last = 0;
    Ticks threads = 0;   // what each thread lived, from its first call to its last, in the window
    Ticks measuring = 0; // time in rounds of clock measurements
    RankUse use;
    RankSamples samples;
    std::vector<Error> unreadable;

    [[nodiscard]] Ticks wall() const { return window.part_of(first, last); }
    void add_lane(const RankFile& file, LaneBlocks lane, CoreTimeTally& core_time);
    // Makes the call of MPI_Finalize last until the last rank came to it.
    void extend_finalize(const FinalizeWait& wait);

  private:
    struct Spent {
        Ticks whole = 0;
        Ticks in_window = 0;
    };
    struct Interval {
        Ticks enter;
        Ticks leave;
    };
    std::vector<Interval> nested_; // nested calls of the current lane whose outer call was not read yet

    void reach(Ticks enter, Ticks leave);
    Spent time_of_nested(const Record& record);
    Spent own_time(const Record& record);
    void add(const RankFile& file, const Record& record, Words words);
    void add_call(const RankFile& file, const Record& record, Words words);
    void add_messages(const RankFile& file, const Record& record, Words words);
};

RankTally tally_rank(const RankFile& file, const TickWindow& window);

} // namespace tactus
