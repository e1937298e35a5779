// What a lane holds that the rank file does not have yet: records that are published but not written, and the open
// calls. A lane is read without touching the process that fills it, or after that process died, or by the process
// itself from another thread.
#pragma once

#include "base/result.hpp"
#include "trace/lane_file.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tactus {

struct LaneContents {
    // A block that the lane's owner would have sealed, with records and their continuations as they lie in the lane.
    struct Block {
        std::uint64_t sequence = 0;
        std::vector<Record> slots;
    };

    std::uint64_t job = 0;
    std::uint32_t rank = 0;
    std::uint32_t lane = 0;
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;
    std::string trace;   // the trace directory it belongs to; empty when that was not known
    bool closed = false; // its thread has ended
    bool steady = false; // nothing was published while it was read
    std::uint64_t lost = 0;
    std::uint32_t slots_per_buffer = 0;
    std::vector<Block> unwritten;    // sorted by sequence
    std::vector<Record> open;        // calls, innermost first; leave is 0
    std::vector<Record> regions;     // the same for regions of VT.h
    std::uint64_t next_sequence = 0; // of the block after these
    Ticks last_leave = 0;            // of the records here, or of the last record before them
    Ticks alive = 0;                 // a tick at which the process lived; 0: not known
    std::uint64_t unprotected = 0;   // other lanes of the process, in private memory
    std::uint64_t unsound = 0;       // slots that make no sense and were left out

    // The last record that is not written; nullptr when there is none.
    [[nodiscard]] const Record* latest() const;
};

// Calls `take` for each record of sound slots, with its words.
using TakeRecord = std::function<void(const Record&, std::span<const std::int64_t> words)>;
void for_each_record(const std::vector<Record>& slots, const TakeRecord& take);

// Gives `size` bytes of a lane from `offset` on, or false.
using ReadLane = std::function<bool(void* to, std::size_t size, std::uint64_t offset)>;

// Reads a lane of `size` bytes, and reads it again up to 20 times until nothing was published meanwhile. Gives an error
// when it is not a lane.
Result<LaneContents> read_lane(const ReadLane& read, std::uint64_t size);
// The same from a file, which errors name.
Result<LaneContents> read_lane(const std::string& path);

// Gives the open calls and regions as records that end at `end` or, where that would be too early, as soon as they can.
std::vector<Record> ended_at(const LaneContents& lane, Ticks end);

} // namespace tactus
