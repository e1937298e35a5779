#include "cli/report/finish_text.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "postproc/replay/event.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

std::string in_us(GlobalTime units) { return fmt::format("{:.3f} us", to_ns(units) * 1e-3); }

// Returns the largest possible difference between the clocks of two ranks. The half-widths are taken at the beginning,
// in the middle and near the end of each rank.
double clock_difference_s(const Trace& trace) {
    double worst = 0;
    for (const RankFile& file : trace.ranks) {
        const std::vector<IndexEntry>& blocks = file.blocks();
        if (blocks.empty()) continue;
        for (const IndexEntry& block : {blocks.front(), blocks[blocks.size() / 2], blocks.back()})
            worst = std::max(worst, file.clock().half_width_ns(block.first));
    }
    return 2e-9 * worst;
}

} // namespace

std::string quality_text(const ClockQuality& quality) {
    std::string text = fmt::format("  received before they were sent: {} by the hosts' dates, {} as measured, {} "
                                   "refined by messages, {} corrected\n",
                                   quality.reversed_raw, quality.reversed_fitted, quality.reversed_refined,
                                   quality.reversed_corrected);
    text += fmt::format("  of {} and {} in collectives\n", plural(quality.messages, "message", "messages"),
                        plural(quality.collectives, "call", "calls"));
    if (quality.jumps > 0)
        text +=
            fmt::format("  {} moved by at most {}; the farthest move of any event is {}; {:.3f} % of the times between "
                        "events changed by more than 1 %\n",
                        plural(quality.jumps, "receive", "receives"), in_us(quality.largest_jump),
                        in_us(quality.largest_move), 100 * changed_share(quality));
    if (quality.released > 0)
        text += fmt::format("  {} waited for each other in a circle, and went on without\n",
                            plural(quality.released, "event", "events"));
    for (std::size_t i = 0; i < quality.unmatched.size() && i < 2 * unmatched_count; ++i)
        if (quality.unmatched[i] > 0)
            text += fmt::format("  {} {}without a counterpart: {}\n", quality.unmatched[i],
                                i < unmatched_count ? "" : "in collectives ", unmatched_meanings[i % unmatched_count]);
    return text;
}

std::string clock_text(const Trace& trace) {
    const ClockQuality* const quality = clock_quality(trace);
    if (quality == nullptr) return "as it was measured; `tactus finish` corrects it";
    const auto dated = std::count_if(trace.ranks.begin(), trace.ranks.end(), [](const RankFile& file) {
        const ProcessClock& clock = file.clock();
        return file.header().mpi.empty() && clock.fitted.fit == Fit::raw && clock.refined.half_widths.empty();
    });
    if (dated > 0 && trace.ranks.size() > 1)
        return fmt::format("{} by the date of their hosts, which nothing compared",
                           plural(static_cast<std::uint64_t>(dated), "rank", "ranks"));
    const double difference = clock_difference_s(trace);
    const std::string known = difference > 0 ? "ranks known to within " + duration_text(difference) + " of each other"
                                             : "all ranks share one";
    if (quality->reversed_fitted == 0 && quality->reversed_corrected == 0)
        return known + "; consistent: nothing arrives before it was sent";
    return fmt::format("{}; {} messages and collective calls ended before they could as measured, {} corrected", known,
                       count_text(quality->reversed_fitted), quality->reversed_corrected);
}

const ClockQuality* clock_quality(const Trace& trace) {
    for (const RankFile& file : trace.ranks) // Mostly the lowest rank has it.
        if (!file.definitions().clock_quality.empty()) return &file.definitions().clock_quality.back();
    return nullptr;
}

double changed_share(const ClockQuality& quality) {
    if (quality.intervals == 0) return 0;
    return static_cast<double>(quality.changed) / static_cast<double>(quality.intervals);
}

std::string finish_text(const std::string& trace, const ClockQuality& quality, bool changed) {
    return fmt::format("{}: {}\n{}", printable(trace), changed ? "finished" : "was finished already, nothing changed",
                       quality_text(quality));
}

} // namespace tactus
