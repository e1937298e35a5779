// Where each thread of a traced job is, found without touching the job: the rank files say where the lanes lie, the
// lanes what is open in them.
#pragma once

#include "postproc/recover/lane_search.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct LaneState {
    LaneContents lane;
    std::vector<Comm> comms;             // defined in the lane itself
    std::optional<double> since_enter_s; // of the open call, when inside
    std::optional<double> since_leave_s; // of the last call, when there was one
};

struct RankState {
    const RankFile* file = nullptr;
    Liveness process = Liveness::elsewhere;
    std::vector<LaneState> lanes; // of threads that have not ended
    std::string problem;          // why there are none, when there are none and the file is not closed

    [[nodiscard]] const Comm* comm(std::uint32_t number) const;
};

// `trace` outlives the answer.
std::vector<RankState> read_lanes(const Trace& trace);

} // namespace tactus
