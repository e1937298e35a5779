#include "bench/correction_speed.hpp"

#include "postproc/eclc/eclc.hpp"
#include "postproc/refine/refine.hpp"
#include "postproc/replay/reversed.hpp"
#include "postproc/replay/wire.hpp"
#include "trace/lane_walk.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

namespace tactus {
namespace {

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const { return 1e-9 * static_cast<double>(monotonic_ns() - begin_); }

  private:
    std::int64_t begin_ = monotonic_ns();
};

// Returns an entry of /proc/self/status such as "VmHWM", in MiB.
double from_status(const char* name) {
    std::ifstream status{"/proc/self/status"};
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name)) return std::strtod(line.c_str() + std::strlen(name) + 1, nullptr) / 1024;
    return 0;
}

void print_rate(const char* what, std::uint64_t count, double seconds) {
    std::printf("%-52s %9.2f million a second   (%.2f million in %.3f s)\n", what,
                1e-6 * static_cast<double>(count) / seconds, 1e-6 * static_cast<double>(count), seconds);
}

// Reads every record and converts its two times to global time.
void read_and_map(const Trace& trace) {
    const Stopwatch watch;
    std::uint64_t records = 0;
    GlobalTime latest = 0;
    for (const RankFile& file : trace.ranks)
        for (const LaneBlocks& lane : lanes_of(file)) {
            ClockCursor enters{file.clock()};
            ClockCursor leaves{file.clock()};
            for (LaneWalk walk{file, lane}; walk.next(); ++records) {
                latest = std::max(latest, enters.at(walk.record().enter));
                latest = std::max(latest, leaves.at(walk.record().leave));
            }
        }
    print_rate("records read and mapped", records, watch.seconds());
    if (latest == 0) std::printf("they have no time\n");
}

std::vector<RankEvents> read_events(const Trace& trace) {
    const Stopwatch watch;
    std::vector<RankEvents> ranks;
    std::uint64_t records = 0;
    for (const RankFile& file : trace.ranks) {
        for (const IndexEntry& block : file.blocks()) records += block.records;
        ranks.push_back(events_of(file));
    }
    print_rate("records made into events", records, watch.seconds());
    return ranks;
}

} // namespace

void print_speed(const Trace& trace) {
    read_and_map(trace);
    std::vector<RankEvents> ranks = read_events(trace);
    std::uint64_t events = 0;
    for (const RankEvents& rank : ranks) events += rank.events.size();
    LonelyWire wire;
    const Stopwatch agreeing;
    const MatchedEvents matched = match_events(ranks, wire);
    print_rate("events brought together", events, agreeing.seconds());
    for (std::size_t i = 0; i < ranks.size(); ++i) stamp(ranks[i], trace.ranks[i].clock());
    const Stopwatch both;
    const EclcFigures figures = run_eclc(ranks, matched, wire, {});
    print_rate("events corrected, forward and backward halves", events, both.seconds());
    std::printf("%-52s %9llu of %llu messages' receivers\n", "moved by what they received",
                static_cast<unsigned long long>(figures.jumps), static_cast<unsigned long long>(matched.messages));
    const Stopwatch forward; // The events are in order now, so there is no backward half.
    const EclcFigures again = run_eclc(ranks, matched, wire, {});
    print_rate("events corrected, nothing reversed: the forward half", events, forward.seconds());
    std::printf("%-52s %9llu events\n", "moved again", static_cast<unsigned long long>(again.jumps));
    std::printf("%-52s %9.1f MiB\n", "memory at most", from_status("VmHWM"));
}

} // namespace tactus
