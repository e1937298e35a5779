// Finds where each thread of a traced job is, without touching the job. The rank files tell where the lanes lie, and
// the lanes hold the open calls.
#pragma once

#include "cli/lane_definitions.hpp"
#include "postproc/recover/lane_search.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct LaneState {
    LaneContents lane;
    LaneDefinitions defined;             // in the lane itself
    std::optional<double> since_enter_s; // time since the enter of the open call, if there is one
    std::optional<double> since_leave_s; // time since the leave of the last call, if there was one
};

struct RankState {
    const RankFile* file = nullptr;
    Liveness process = Liveness::elsewhere;
    std::vector<LaneState> lanes; // of threads that have not ended
    std::string problem;          // why there are no lanes, although the file is not closed

    [[nodiscard]] const Comm* comm(std::uint32_t number) const;
    [[nodiscard]] const Symbol* symbol(std::uint32_t number) const; // of VT.h
};

// The result points into `trace`, which must outlive it.
std::vector<RankState> read_lanes(const Trace& trace);

} // namespace tactus
