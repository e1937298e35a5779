// The numbers of processes, threads and tracks in a Perfetto trace. Pure.
#pragma once

#include <cstdint>

namespace tactus::perfetto {

// The number of a track has its kind, its rank, and which of the rank's tracks of that kind it is.
enum class TrackKind : std::uint64_t { process = 1, thread = 2, counter = 3, scope = 4, core_time = 5, sampled = 6 };
constexpr std::uint64_t track_number(TrackKind kind, std::uint32_t rank, std::uint32_t which) {
    return static_cast<std::uint64_t>(kind) << 60 | std::uint64_t{rank} << 24 | which;
}
constexpr std::uint64_t thread_track(std::uint32_t rank, std::uint32_t lane) {
    return track_number(TrackKind::thread, rank, lane);
}

// The number of a process must be above 0, and that of a thread must be unique in the trace.
constexpr std::uint64_t process_number(std::uint32_t rank) { return rank + 1; }
constexpr std::uint64_t thread_number(std::uint32_t rank, std::uint32_t lane) {
    return lane == 0 ? process_number(rank) : (std::uint64_t{lane} << 22 | (rank + 1)) & 0x7fffffff;
}

} // namespace tactus::perfetto
