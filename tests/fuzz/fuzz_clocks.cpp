// Clock measurements with any content. Every fit must end, and give a time map that a file may contain and that never
// runs back.
#include "clocksync/fit.hpp"
#include "trace/fields.hpp"
#include "trace/rank_file.hpp"

#include <algorithm>
#include <cstdlib>

using namespace tactus;

static void require(bool holds) {
    if (!holds) std::abort();
}

static void follow(const TimeMap& map, const ClockFacts& facts) {
    require(map.is_sound());
    std::vector<Ticks> ticks;
    for (const Anchor& anchor : facts.anchors) ticks.push_back(anchor.tick);
    for (const SyncRound& round : facts.rounds)
        for (const SyncSample& sample : round.samples) ticks.push_back(sample.sent);
    std::sort(ticks.begin(), ticks.end());
    for (std::size_t i = 0; i < ticks.size(); ++i) {
        const bool nearby =
            i > 0 && ticks[i] - ticks[i - 1] < ~Ticks{0} >> 2 && ticks[i] - map.knots.front().tick < ~Ticks{0} >> 2;
        require(!nearby || map.at(ticks[i - 1]) <= map.at(ticks[i]));
        require(map.half_width_ns(ticks[i]) >= 0);
        (void)map.tick_at(map.at(ticks[i]));
    }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ByteReader in{{data, size}};
    Definitions known;
    read_value(in, known);
    ClockFacts facts{.place = known.clock_places.empty() ? ClockPlace{} : known.clock_places.back(),
                     .timer = size % 2 == 0 ? Timer::tsc : Timer::monotonic,
                     .timer_resolution = 1 + size % 100,
                     .anchors = known.anchors,
                     .rounds = known.sync_rounds};
    facts.anchors.emplace_back(); // every header has one
    std::sort(facts.anchors.begin(), facts.anchors.end(),
              [](const Anchor& a, const Anchor& b) { return a.tick < b.tick; });
    const TimeMap master = map_of_reference(facts);
    for (const Fit fit : {Fit::interval, Fit::itac}) follow(fit_clock(fit, facts, master, master).map, facts);
    return 0;
}
