// What the collector that traces a process lends to other libraries of ours in it: lanes in the same rank file, on the
// same clock. Both come from the same build, as `version` says.
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
    ReadTicks reader; // as in detail::reader
    // Any thread.
    Anchor (*read_anchor)();
    bool (*is_recorded)(); // the calling thread, at this time
    // One thread, the borrower's own; nothing of this behind the end.
    Lane* (*make_lane)(); // nullptr: recording has ended, or memory is refused
    std::uint32_t (*number_of)(const Lane*);
    // As Lane::store.
    void (*store)(Lane*, const Record&, const std::int64_t* words, std::size_t count);
    void (*define)(const Definitions&);
    void (*count_loss)(Loss, std::uint64_t);
    // Once: `end` is called before the rank file is closed, by any thread. It stores what is left; when it returns true
    // nothing is called any more, and it gives up after `patience_ns`.
    void (*at_end)(bool (*end)(std::int64_t patience_ns));
};

// Exported by the collector; nullptr when this process has no open rank file.
using GetLaneService = const LaneService* (*)();
inline constexpr const char* lane_service_name = "VT_tactus_lane_service";

} // namespace tactus
