// Rounds that are short, very many, or no measurement at all; ranks that share a clock; and ranks that are missing.
#include "clocksync/trace_clocks.hpp"
#include "tests/unit/clocksync/simulated_clock.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace tactus;

namespace {

constexpr auto measured_fits = {Fit::interval, Fit::itac};

SimulatedClock drifting(double ppm) {
    SimulatedClock clock;
    clock.ahead = [=](double t) { return 1e6 + ppm * 1e-6 * t; };
    return clock;
}

std::vector<ClockTrouble> troubles_of(const TimeMap& map) {
    std::vector<ClockTrouble> troubles;
    for (const ClockNote& note : map.notes) troubles.push_back(note.trouble);
    return troubles;
}

// Numbers of all sizes, some of which are near those of the rounds before.
Ticks any_ticks(std::mt19937_64& random, Ticks near) {
    const std::uint64_t size = random() % 64;
    return random() % 2 == 0 ? random() >> size : near + (random() >> size) - (random() >> size);
}

ClockFacts any_facts(std::mt19937_64& random) {
    ClockFacts facts;
    facts.timer = static_cast<Timer>(random() % timer_names.size());
    Ticks near = any_ticks(random, 0);
    facts.anchors = {{near, 0, 0}, {near + (random() >> 20U), static_cast<std::int64_t>(random() >> 20U), 0}};
    const std::uint64_t rounds = random() % 12;
    for (std::uint32_t i = 0; i < rounds; ++i) {
        SyncRound round{.number = i, .samples = {}};
        for (std::uint64_t j = random() % 6; j > 0; --j) {
            SyncSample sample;
            sample.sent = near = any_ticks(random, near);
            sample.master = any_ticks(random, near);
            sample.received = random() % 4 == 0 ? any_ticks(random, near) : sample.sent + (random() >> (random() % 64));
            round.samples.push_back(sample);
        }
        facts.rounds.push_back(round);
    }
    return facts;
}

// Ranks on three hosts in a chain: 1 was measured against 0, and 2 against 1. Their clocks are ahead by 1 and by 3 ms.
std::vector<MadeRank> chain() {
    std::vector<MadeRank> ranks = made_ranks(3);
    SimulatedLink link{.samples = 20};
    for (std::uint32_t rank = 1; rank < 3; ++rank) {
        SimulatedClock clock; // here true time is the time of the previous rank
        clock.origin = made_start;
        clock.ahead = [rank](double) { return 1e6 * rank; };
        Definitions& known = ranks[rank].definitions;
        known.clock_places = {{.relation = ClockRelation::measured, .master = rank - 1, .level = rank}};
        known.sync_rounds = simulated_facts(clock, link, {0, second_ns}, rank).rounds;
        for (SyncRound& round : known.sync_rounds) {
            round.master = rank - 1;
            for (SyncSample& sample : round.samples) sample.master += made_start - master_origin;
        }
    }
    return ranks;
}

} // namespace

TEST_CASE("rounds close together, and a long time without any") {
    constexpr double hour_ns = 3600 * second_ns;
    struct Case {
        const char* name;
        std::vector<double> rounds_ns;
        double period_ns; // period with which the clock wanders
        double dense_ns;  // how long there are enough rounds to know it
    };
    std::vector<double> with_pause = evenly(51, 500 * second_ns);
    for (const double round_ns : evenly(51, 500 * second_ns)) with_pause.push_back(4000 * second_ns + round_ns);
    std::vector<double> then_end = evenly(101, 1000 * second_ns);
    then_end.push_back(1000 * second_ns + 2 * hour_ns);
    std::vector<double> quick = evenly(11, 10 * second_ns);
    quick.push_back(hour_ns);
    for (const Case& wanted : {Case{"then two hours", then_end, 400 * second_ns, 980 * second_ns},
                               Case{"an hour in the middle", with_pause, 400 * second_ns, 480 * second_ns},
                               Case{"then an hour", quick, 40 * second_ns, 9 * second_ns}}) {
        INFO(wanted.name);
        SimulatedClock clock;
        clock.ahead = [&](double t) { return 20'000 * std::sin(2 * std::numbers::pi * t / wanted.period_ns); };
        const ClockFacts facts = simulated_facts(clock, {.noise_ns = 300}, wanted.rounds_ns, 5);
        const FittedClock found = fitted(Fit::interval, facts);
        CHECK(troubles_of(found.map).empty());
        CHECK(found.map.knots.size() == wanted.rounds_ns.size());
        const Accuracy dense = accuracy(found.map, clock, 0, wanted.dense_ns);
        CHECK(dense.largest < 500);
        CHECK(dense.inside >= 0.999);
        const Accuracy all = accuracy(found.map, clock, 0, wanted.rounds_ns.back());
        // How it wanders in between cannot be known, but a few seconds are not extrapolated.
        CHECK(all.largest < 250'000);
    }
}

TEST_CASE("two rounds at once, then an hour without any") {
    const SimulatedClock clock = drifting(20);
    for (const double distance_ns : {1e6, 1e8, second_ns}) {
        const ClockFacts facts = simulated_facts(clock, {}, {0, distance_ns, 3600 * second_ns}, 6);
        const Accuracy seen = accuracy(fitted(Fit::interval, facts).map, clock, 0, 3600 * second_ns);
        CHECK(seen.largest < 300); // the noise of rounds is no drift
        CHECK(seen.inside >= 0.999);
    }
}

TEST_CASE("rounds of one sample each") {
    for (const Fit fit : measured_fits) {
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const SimulatedClock clock = drifting(20);
            const ClockFacts facts =
                simulated_facts(clock, {.outliers = 0, .samples = 1}, evenly(2 + seed % 5, 10e9), seed);
            const TimeMap map = fitted(fit, facts).map;
            CHECK(map.is_sound());
            CHECK(map.notes.empty());
            CHECK(accuracy(map, clock, 0, 10e9).largest <= 150);
        }
    }
}

// A cost that grows with the square of the rounds takes minutes here, where it should take a second.
TEST_CASE("thousands of rounds come to an end") {
    for (const Fit fit : measured_fits) {
        CHECK(fitted(fit, simulated_facts(drifting(20), {.samples = 1}, evenly(30'000, 30'000e9), 1)).map.is_sound());
        std::vector<double> pairs;
        for (int i = 0; i < 2'000; ++i)
            for (const double beside : {0.0, 1e6}) pairs.push_back(i * second_ns + beside);
        CHECK(fitted(fit, simulated_facts(drifting(20), {.samples = 4}, pairs, 1)).map.is_sound());
        // Over a slow network all rounds are close to each other.
        const SimulatedLink slow{.delay_ns = 10'000, .noise_ns = 1'000, .samples = 4};
        CHECK(fitted(fit, simulated_facts(drifting(20), slow, evenly(4'000, 4e9), 1)).map.is_sound());
    }
}

TEST_CASE("a run of no length") {
    for (const Fit fit : measured_fits) {
        const SyncSample at_once{1'000, 2'000, 1'000};
        const ClockFacts facts{.place = {},
                               .timer = Timer::tsc,
                               .anchors = {{1'000, 5, 5}, {1'000, 5, 5}},
                               .rounds = {{.number = 0, .samples = {at_once}}, {.number = 1, .samples = {at_once}}}};
        const TimeMap map = fit_clock(fit, facts, straight(2'000, 80, 1), straight(0, 0, 1)).map;
        CHECK(map.is_sound());
        CHECK(troubles_of(map) == std::vector{ClockTrouble::no_time, ClockTrouble::one_round});
        CHECK(map.at(1'000) == 80);
        CHECK(map.at(1'001) == 88);
    }
}

TEST_CASE("whatever a file calls rounds, the map is sound") {
    std::mt19937_64 random{1};
    for (int trial = 0; trial < 4'000; ++trial) {
        const ClockFacts facts = any_facts(random);
        const TimeMap otherwise = straight(facts.anchors.front().tick, 0, 1);
        const TimeMap master = straight(any_ticks(random, facts.anchors.front().tick), 0, 1);
        for (const Fit fit : measured_fits) {
            const FittedClock clock = fit_clock(fit, facts, master, otherwise);
            INFO("trial " << trial);
            CHECK(clock.map.is_sound());
            CHECK(clock.rounds.size() == facts.rounds.size());
        }
    }
}

TEST_CASE("ranks of a host share a clock, unless it turns out otherwise") {
    for (const Fit fit : measured_fits) {
        SimulatedClock same;
        same.origin = master_origin;
        ClockFacts facts = simulated_facts(same, {}, {0, 10e9}, 1);
        facts.place.relation = ClockRelation::shared;
        CHECK(is_one_clock(facts.rounds));
        const TimeMap shared = fitted(fit, facts).map;
        CHECK(shared.notes.empty());
        CHECK(shared.knots.size() == 1);
        for (const Ticks tick : {master_origin, 3 * master_origin}) CHECK(shared.at(tick) == true_master().at(tick));
        facts.rounds.clear(); // without rounds it is trusted that the clock is shared
        CHECK(fitted(fit, facts).map.notes.empty());

        SimulatedClock other = drifting(20);
        other.origin = master_origin;
        facts = simulated_facts(other, {}, {0, 10e9}, 1);
        facts.place.relation = ClockRelation::shared;
        CHECK_FALSE(is_one_clock(facts.rounds));
        const TimeMap own = fitted(fit, facts).map;
        CHECK(troubles_of(own) == std::vector{ClockTrouble::own_clock});
        CHECK(accuracy(own, other, 0, 10e9).largest <= 40);
        facts.rounds.resize(1); // its own clock, measured only once
        CHECK(troubles_of(fitted(fit, facts).map) == std::vector{ClockTrouble::one_round, ClockTrouble::own_clock});
    }
}

TEST_CASE("the clocks of a trace follow from master to master") {
    const TestFolder folder;
    const auto files = write_trace(folder.path() / "chain.tactus", chain());
    for (const Fit fit : measured_fits) {
        auto trace = Trace::open(folder.path() / "chain.tactus");
        REQUIRE(trace);
        put_on_one_clock(*trace, fit);
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            const TimeMap& map = trace->ranks[rank].clock().fitted;
            CHECK(map.notes.empty());
            const double ahead = rank == 0 ? 0 : rank == 1 ? 1e6 : 3e6;
            for (const double at : {0.0, 3.5e8, 9e8})
                CHECK(to_ns(map.at(made_start + static_cast<Ticks>(at + ahead))) ==
                      Approx(at).margin(25.0 * rank).epsilon(0));
        }
        CHECK(trace->ranks[1].clock().half_width_ns(made_start) < trace->ranks[2].clock().half_width_ns(made_start));
    }
    std::filesystem::remove(files[1]);
    auto lacking = Trace::open(folder.path() / "chain.tactus");
    REQUIRE(lacking);
    REQUIRE(lacking->ranks.size() == 2);
    const auto clocks = fit_clocks(*lacking, Fit::interval);
    CHECK(clocks[0].map.notes.empty());
    CHECK(troubles_of(clocks[1].map) == std::vector{ClockTrouble::no_master});
    const TimeMap date = lacking->ranks[1].clock_by_date(lacking->origin_realtime_ns());
    CHECK(clocks[1].map.at(made_start) == date.at(made_start));
    for (const FittedClock& raw : fit_clocks(*lacking, Fit::raw)) CHECK(raw.map.notes.empty());
}
