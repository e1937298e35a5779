#include "postproc/profile/finalize_waits.hpp"

#include "trace/lane_walk.hpp"
#include "trace/run_ends.hpp"

#include <algorithm>
#include <limits>

namespace tactus {
namespace {

// Where the rank's MPI_Finalize was called, and where its record ends; `begin` is 0 when there is none.
FinalizeWait finalize_of(const RankFile& file) {
    const Function end = end_of_run(file.definitions());
    FinalizeWait found;
    for (const LaneBlocks lane : lanes_of(file)) {
        LaneWalk walk{file, lane.last(1)};
        while (walk.next()) {
            const Record& record = walk.record();
            if (record.what.kind == Kind::call && record.what.function == end)
                found = {.function = end, .place = record.what.place, .begin = record.leave, .end = record.leave};
        }
    }
    return found;
}

bool is_finished(const Trace& trace) {
    return std::any_of(trace.ranks.begin(), trace.ranks.end(),
                       [](const RankFile& file) { return !file.definitions().clock_quality.empty(); });
}

} // namespace

std::vector<FinalizeWait> finalize_waits(const Trace& trace) {
    if (!is_finished(trace)) return {};
    std::vector<FinalizeWait> waits;
    GlobalTime last = std::numeric_limits<GlobalTime>::min();
    for (const RankFile& file : trace.ranks) {
        waits.push_back(finalize_of(file));
        if (waits.back().begin == 0) return {};
        last = std::max(last, file.clock().at(waits.back().begin));
    }
    for (std::size_t i = 0; i < waits.size(); ++i)
        waits[i].end = std::max(waits[i].begin, trace.ranks[i].clock().tick_at(last));
    return waits;
}

} // namespace tactus
