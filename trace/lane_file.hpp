// A lane is the file that one thread of a traced process puts its records into. The process maps it into its memory, so
// that the lane survives the process.
//
//   | LaneHeader, one page | buffer 0: `slots` records of 64 bytes | buffer 1 | ...
//
// The owner fills one buffer after the other. `filled` is stored with release after each record, so a reader that loads
// `filled` first sees whole records below it. The record at `filled` is the open call: its fields were stored before
// its enter tick, so it is a call in progress if that tick is later than the last leave, or is `resumed`. A buffer's
// content is dead once its block is in the rank file (written == sequence).
#pragma once

#include "trace/record.hpp"

#include <atomic>
#include <cstdint>
#include <string>

namespace tactus {

constexpr std::size_t most_lane_buffers = 8;
constexpr std::size_t lane_header_size = 4096;
constexpr std::size_t most_nested_calls = 4;
constexpr std::size_t longest_trace_path = 2048; // a longer path is left out
constexpr std::size_t most_shown_regions = 24;   // of VT.h, the outermost; those inside them are only counted

struct LaneBuffer {
    std::atomic<std::uint64_t> sequence{0}; // sequence + 1 of the block that it will become; 0: never used
    std::atomic<std::uint64_t> filled{0};   // slots published
    std::atomic<std::uint64_t> written{0};  // sequence + 1 of the last block of this buffer that is in the rank file
    std::uint64_t unused = 0;
};

// A region of VT.h that the thread has begun and not ended.
struct LaneRegion {
    std::atomic<std::uint64_t> enter{0}; // 0: it is not recorded
    std::uint64_t place = 0;
    std::uint32_t symbol = 0;
    std::int32_t scl = 0;
};

struct LaneHeader {
    static constexpr std::uint64_t magic_value = 0x33454e414c435441; // "ATCLANE3", the last byte a version
    std::uint64_t magic = magic_value;
    std::uint64_t job = 0;
    std::uint32_t rank = 0;
    std::uint32_t lane = 0;
    std::uint64_t pid = 0;
    std::uint64_t tid = 0;
    std::uint32_t buffers = 0;
    std::uint32_t slots = 0;
    std::atomic<std::uint64_t> active{0};      // index of the buffer being filled
    std::atomic<std::uint64_t> turned{0};      // leave tick of the last record before the active buffer
    std::atomic<std::uint64_t> closed{0};      // 1: its thread has ended
    std::atomic<std::uint64_t> lost{0};        // calls in blocks that the file system refused
    std::atomic<std::uint64_t> nesting{0};     // entries of `outer` in use
    std::atomic<std::uint64_t> resumed{0};     // enter tick of a call that is open again: the call inside it has ended
    std::atomic<std::uint64_t> alive{0};       // a tick of the last second in which the process lived
    std::atomic<std::uint64_t> unprotected{0}; // lanes of this process in private memory, as far as this lane knows
    LaneBuffer buffer[most_lane_buffers];
    Record outer[most_nested_calls];     // the calls around the open call, which a callback made; the outermost first;
                                         // enter 0: not to be recorded
    char trace[longest_trace_path] = {}; // the directory this lane belongs to
    std::atomic<std::uint64_t> regions{0}; // open regions of VT.h, the outermost of them in `region`
    LaneRegion region[most_shown_regions];
};
static_assert(sizeof(LaneHeader) <= lane_header_size);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

constexpr std::size_t lane_size(std::size_t buffers, std::size_t slots) {
    return lane_header_size + buffers * slots * sizeof(Record);
}

std::string lane_file_name(std::uint32_t rank, std::uint32_t lane); // "rank-000003-lane-0001.lane"
constexpr const char* lane_draft_ending = ".new";                   // ends the name until the file is a whole lane
// The folder of a job's lanes in a directory that other jobs use, too: "tactus-123".
std::string lane_folder_name(std::uint64_t job);

} // namespace tactus
