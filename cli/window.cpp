#include "cli/window.hpp"

#include <algorithm>
#include <limits>

namespace tactus {

GlobalTime time_at(const Trace& trace, double seconds) {
    constexpr double most = 4e8; // seconds; more than a trace can have, and too little for an overflow
    return within_reach(sum_of(trace.zero, time_of_ns(1e9 * std::clamp(seconds, -most, most))));
}

WindowShown window_shown(const Trace& trace, const Window& window) {
    double begin_s = std::numeric_limits<double>::infinity();
    double end_s = -begin_s;
    for (const RankFile& file : trace.ranks) {
        if (file.blocks().empty()) continue;
        const TickSpan ran = span_of(file.blocks());
        begin_s = std::min(begin_s, trace.seconds(file, ran.first));
        end_s = std::max(end_s, trace.seconds(file, ran.last));
    }
    if (end_s < begin_s) begin_s = end_s = 0;
    const auto seconds = [&](GlobalTime time) { return 1e-9 * ns_from(trace.zero, time); };
    const double from_s = window.from ? seconds(*window.from) : begin_s;
    const double to_s = window.to ? seconds(*window.to) : end_s;
    const double inside_s = std::max(0.0, std::min(to_s, end_s) - std::max(from_s, begin_s));
    return {.from_s = from_s, .to_s = to_s, .inside_s = inside_s, .run_s = end_s - begin_s};
}

} // namespace tactus
