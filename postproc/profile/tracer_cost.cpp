#include "postproc/profile/tracer_cost.hpp"

#include "trace/lane_walk.hpp"

#include <algorithm>

namespace tactus {
namespace {

double overhead_ns(const RankFile& file) { return file.header().overhead_ps_per_call * 1e-3; }

} // namespace

TracerCost tracer_cost(const Trace& trace) {
    TracerCost cost;
    for (const RankFile& file : trace.ranks) {
        cost.recording_s += 1e-9 * overhead_ns(file) * static_cast<double>(volume_of(file).calls);
        for (const Totals& totals : file.definitions().totals) {
            cost.sealing_s += file.seconds(totals.sealing);
            cost.stalled_s += file.seconds(totals.stalled);
            cost.reading_s += file.seconds(totals.reading);
            cost.writing_s += file.seconds(totals.writing);
            cost.starting_s += file.seconds(totals.starting);
            cost.finishing_s += file.seconds(totals.finishing);
            cost.measuring_s += file.seconds(totals.measuring);
        }
    }
    return cost;
}

CallOverhead call_overhead(const Trace& trace) {
    CallOverhead result;
    result.min_ns = overhead_ns(trace.ranks.front());
    for (const RankFile& file : trace.ranks) {
        result.mean_ns += overhead_ns(file) / static_cast<double>(trace.ranks.size());
        result.min_ns = std::min(result.min_ns, overhead_ns(file));
        result.max_ns = std::max(result.max_ns, overhead_ns(file));
    }
    return result;
}

Volume volume_of(const RankFile& file) {
    Volume volume{.bytes = file.size()};
    for (const LaneBlocks lane : lanes_of(file)) volume.lanes += is_thread(file, lane) ? 1 : 0;
    for (const IndexEntry& block : file.blocks()) {
        volume.calls += block.calls;
        volume.records += block.records;
    }
    return volume;
}

Volume volume_of(const Trace& trace) {
    Volume sum;
    for (const RankFile& file : trace.ranks) {
        const Volume volume = volume_of(file);
        sum.calls += volume.calls;
        sum.records += volume.records;
        sum.bytes += volume.bytes;
        sum.lanes += volume.lanes;
    }
    return sum;
}

} // namespace tactus
