// What the collector that traces a process lends to other libraries of tactus in that process: lanes in the same rank
// file, on the same clock. Both come from the same build, which `version` tells.
#pragma once

#include "trace/definitions.hpp"
#include "trace/record.hpp"

#include <cstddef>
#include <cstdint>

namespace tactus {

class Lane;

struct LaneService {
    const char* version;

    Timer timer;
    ReadTicks reader; // the value of detail::reader
    // Any thread may call these two.
    Anchor (*read_anchor)();
    bool (*is_recorded)(); // whether the calling thread is recorded at this time
    // Only one thread of the borrower calls the rest, and never after the end.
    Lane* (*make_lane)(); // nullptr when recording has ended or memory is refused
    std::uint32_t (*number_of)(const Lane*);
    // The same as Lane::store.
    void (*store)(Lane*, const Record&, const std::int64_t* words, std::size_t count);
    void (*define)(const Definitions&);
    void (*count_loss)(Loss, std::uint64_t);
    // To be called once. Any thread calls `end` before the rank file is closed. `end` stores what is left and gives up
    // after `patience_ns`. When it has returned true, the borrower calls nothing any more.
    void (*at_end)(bool (*end)(std::int64_t patience_ns));
};

// The collector exports this function. It gives nullptr when this process has no open rank file.
using GetLaneService = const LaneService* (*)();
inline constexpr const char* lane_service_name = "VT_tactus_lane_service";

} // namespace tactus
