#include "trace/lane_file.hpp"

#include "base/input_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tactus {
namespace {

std::uint64_t slot_offset(const LaneHeader& header, std::uint64_t buffer, std::uint64_t slot) {
    return lane_header_size + (buffer * header.slots + slot) * sizeof(Record);
}

bool sound(const LaneHeader& header, std::uint64_t file_size) {
    return header.magic == LaneHeader::magic_value && header.buffers > 0 && header.buffers <= most_lane_buffers &&
           header.slots > 0 && lane_size(header.buffers, header.slots) <= file_size &&
           header.active.load() < header.buffers;
}

// The last record before slot `filled`: steps back over continuations, which begin with an unused word instead of a
// tick.
bool last_record(const InputFile& file, const LaneHeader& header, std::uint64_t buffer, std::uint64_t filled,
                 Record& out) {
    while (filled > 0) {
        --filled;
        if (!file.read(&out, sizeof out, slot_offset(header, buffer, filled))) return false;
        if (out.enter != 0) return true;
    }
    out = Record{};
    return true;
}

} // namespace

std::string lane_file_name(std::uint32_t rank, std::uint32_t lane) {
    char name[64];
    std::snprintf(name, sizeof name, "rank-%06u-lane-%04u.lane", rank, lane);
    return name;
}

Result<LaneSnapshot> read_lane(const std::string& path) {
    const InputFile file{path};
    if (!file.good()) return Error{.what = "cannot be opened: " + std::string{strerror(errno)}, .file = path};
    const std::uint64_t size = file.size();
    LaneSnapshot snapshot;
    constexpr int attempts = 20;
    for (int attempt = 0; attempt < attempts && !snapshot.steady; ++attempt) {
        LaneHeader before;
        LaneHeader after;
        if (!file.read(&before, sizeof before, 0) || !sound(before, size))
            return Error{.what = "this is not a lane of a traced process", .file = path};
        const std::uint64_t buffer = before.active.load();
        const std::uint64_t filled = before.buffer[buffer].filled.load();
        if (filled > before.slots) return Error{.what = "the lane's counts are impossible", .file = path};
        Record open{};
        if (!last_record(file, before, buffer, filled, snapshot.last) ||
            (filled < before.slots && !file.read(&open, sizeof open, slot_offset(before, buffer, filled))) ||
            !file.read(&after, sizeof after, 0))
            return Error{.what = "the lane cannot be read: " + std::string{strerror(errno)}, .file = path};
        snapshot.job = before.job;
        snapshot.rank = before.rank;
        snapshot.lane = before.lane;
        snapshot.pid = before.pid;
        snapshot.tid = before.tid;
        snapshot.closed = before.closed.load() != 0;
        const Ticks last_leave = snapshot.last.enter != 0 ? snapshot.last.leave : before.turned.load();
        snapshot.inside = open.enter > last_leave && !snapshot.closed;
        snapshot.open = open;
        snapshot.steady = after.active.load() == buffer && after.buffer[buffer].filled.load() == filled;
    }
    return snapshot;
}

} // namespace tactus
