// What goes wrong with clocks, one clock at a time: the map is sound, and the trouble is named.
#include "tests/unit/clocksync/simulated_clock.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/test_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

using namespace tactus;

namespace {

constexpr double length_ns = 20 * second_ns;

SimulatedClock drifting(double ppm) {
    SimulatedClock clock;
    clock.ahead = [=](double t) { return 1e6 + ppm * 1e-6 * t; };
    return clock;
}

SimulatedClock stepped(double at_ns, double by_ns) {
    SimulatedClock clock;
    clock.ahead = [=](double t) { return 1e6 + 10e-6 * t + (t >= at_ns ? by_ns : 0); };
    return clock;
}

const ClockNote* note_of(const FittedClock& clock, ClockTrouble trouble) {
    const auto& notes = clock.map.notes;
    const auto found =
        std::find_if(notes.begin(), notes.end(), [&](const ClockNote& n) { return n.trouble == trouble; });
    return found == notes.end() ? nullptr : &*found;
}

// Checks that the clock has this note and no other, and a sound map.
ClockNote only_note(const FittedClock& clock, ClockTrouble trouble) {
    INFO(clock_troubles[static_cast<std::size_t>(trouble)].name);
    CHECK(clock.map.is_sound());
    REQUIRE(note_of(clock, trouble) != nullptr);
    CHECK(clock.map.notes.size() == 1);
    return *note_of(clock, trouble);
}

constexpr auto measured_fits = {Fit::interval, Fit::itac};

} // namespace

TEST_CASE("one round gives an offset and the timer's own rate") {
    for (const Fit fit : measured_fits) {
        const SimulatedClock clock = drifting(20);
        const FittedClock found = fitted(fit, simulated_facts(clock, {}, {second_ns}, 1));
        CHECK(only_note(found, ClockTrouble::one_round).count == 1);
        REQUIRE(found.map.knots.size() == 1);
        CHECK(found.map.knots[0].rate == 1);
        CHECK(found.map.drift_ppm == 100);
        CHECK(accuracy(found.map, clock, second_ns, second_ns + 1'000).largest <= 40);
        CHECK(accuracy(found.map, clock, 0, length_ns).inside == Approx(1));
    }
}

TEST_CASE("without a round that says something the clock is its host's date") {
    for (const Fit fit : measured_fits) {
        const TimeMap date = straight(4, 5, 2);
        ClockFacts facts = simulated_facts(drifting(20), {}, {}, 1);
        const FittedClock none = fit_clock(fit, facts, true_master(), date);
        CHECK(only_note(none, ClockTrouble::no_round).tick == facts.anchors.front().tick);
        CHECK(none.map.at(7) == date.at(7));
        CHECK(none.rounds.empty());

        facts = simulated_facts(drifting(20), {}, evenly(3, length_ns), 1);
        facts.rounds[0].samples.clear();
        facts.rounds[1].rejected = true;
        for (SyncSample& sample : facts.rounds[2].samples) std::swap(sample.sent, sample.received);
        const FittedClock useless = fit_clock(fit, facts, true_master(), date);
        only_note(useless, ClockTrouble::no_round);
        CHECK(useless.map.at(7) == date.at(7));
        REQUIRE(useless.rounds.size() == 3);
        for (const FittedRound& round : useless.rounds) CHECK(round.round.rejected);
        CHECK(useless.rounds[1].samples == 100);
    }
}

TEST_CASE("of equal rounds one is kept") {
    for (const Fit fit : measured_fits) {
        const SimulatedClock clock = drifting(20);
        ClockFacts facts = simulated_facts(clock, {}, evenly(3, length_ns), 1);
        facts.rounds.push_back(facts.rounds.back());
        facts.rounds.back().number = 3;
        const FittedClock fourth = fitted(fit, facts);
        CHECK(only_note(fourth, ClockTrouble::no_time).count == 1);
        CHECK(fourth.map.knots.size() == 3);
        CHECK(accuracy(fourth.map, clock, 0, length_ns).largest <= 40);

        facts.rounds.resize(1);
        for (std::uint32_t i = 1; i < 4; ++i) {
            facts.rounds.push_back(facts.rounds.front());
            facts.rounds.back().number = i;
        }
        const FittedClock all = fitted(fit, facts);
        CHECK(all.map.is_sound());
        REQUIRE(note_of(all, ClockTrouble::no_time) != nullptr);
        CHECK(note_of(all, ClockTrouble::no_time)->count == 3);
        CHECK(note_of(all, ClockTrouble::one_round) != nullptr);
    }
}

TEST_CASE("rounds in which a clock ran back are left out") {
    const SimulatedClock clock = drifting(20);
    const ClockFacts right = simulated_facts(clock, {}, evenly(7, length_ns), 1);
    for (const Fit fit : measured_fits) {
        for (const bool masters : {false, true}) {
            ClockFacts facts = right;
            for (SyncSample& sample : facts.rounds[3].samples) {
                if (masters)
                    sample.master -= 8'000'000'000;
                else {
                    sample.sent -= 8'000'000'000;
                    sample.received -= 8'000'000'000;
                }
            }
            const FittedClock fit_of = fitted(fit, facts);
            CHECK(only_note(fit_of, ClockTrouble::not_increasing).count == 1);
            CHECK(fit_of.map.knots.size() == 6);
            CHECK(accuracy(fit_of.map, clock, 0, length_ns).largest <= 40);
        }
        ClockFacts reversed = right; // each round is before the previous one, so one round is as good as any other
        for (SyncRound& round : reversed.rounds) round.number = 7 - round.number;
        const FittedClock found = fitted(fit, reversed);
        CHECK(found.map.is_sound());
        REQUIRE(note_of(found, ClockTrouble::not_increasing) != nullptr);
        CHECK(note_of(found, ClockTrouble::not_increasing)->count == 6);
        CHECK(found.map.knots.size() == 1);
    }
}

TEST_CASE("a step is named, with its sign and size, and harms nothing but its gap") {
    for (const Fit fit : measured_fits) {
        for (const double by : {50e3, -50e3}) {
            for (const double at : {4.0, 7.0, 9.0, 9.9, 10.1, 12.0, 16.0}) { // rounds are at 0, 3.3, 6.7, 10, ...
                INFO("a step of " << by << " at " << at << " s");
                const SimulatedClock clock = stepped(at * second_ns, by);
                const FittedClock found = fitted(fit, simulated_facts(clock, {}, evenly(7, length_ns), 1));
                const ClockNote note = only_note(found, ClockTrouble::step);
                CHECK(note.amount_ns == Approx(by).epsilon(0.1));
                const double gap = length_ns / 6;
                const double begin = gap * std::floor(at * second_ns / gap);
                CHECK(static_cast<double>(note.tick - clock.origin) == Approx(begin + gap / 2).epsilon(1e-3));
                for (const Accuracy& outside : {accuracy(found.map, clock, 0, begin),
                                                accuracy(found.map, clock, begin + 1.001 * gap, length_ns)}) {
                    CHECK(outside.largest <= 100);
                    CHECK(outside.inside == Approx(1));
                    CHECK(outside.median_half_width <= 500);
                }
                CHECK(accuracy(found.map, clock, begin + gap * 0.02, begin + gap * 0.98).inside == Approx(1));
            }
        }
    }
}

TEST_CASE("no step is seen where there is none") {
    for (const Fit fit : measured_fits) {
        for (std::uint64_t seed = 0; seed < seeds(30); ++seed) {
            std::mt19937_64 random{seed};
            SimulatedClock wandering;
            const double turn = 2 * std::numbers::pi / (20e9 + 70e9 * uniform(random));
            wandering.ahead = [=](double t) { return 20e3 * std::sin(turn * t); };
            SimulatedClock slewed; // for a while
            const double from = length_ns * uniform(random);
            const double to = from + 5e9 + 10e9 * uniform(random);
            slewed.ahead = [=](double t) { return 5e-6 * (std::max(0.0, t - from) - std::max(0.0, t - to)); };
            for (const SimulatedClock& clock : {wandering, slewed, drifting(-30)})
                for (const std::size_t rounds : {7, 13, 25}) {
                    const FittedClock quiet = fitted(fit, simulated_facts(clock, {}, evenly(rounds, length_ns), seed));
                    INFO("seed " << seed << " rounds " << rounds << " slew " << from << " to " << to);
                    CHECK(quiet.map.notes.empty());
                }
        }
    }
}

TEST_CASE("a round that contradicts itself is named") {
    for (const Fit fit : measured_fits) {
        const SimulatedClock clock = drifting(20);
        ClockFacts facts = simulated_facts(clock, {}, evenly(3, length_ns), 1);
        for (std::size_t i = 50; i < 100; ++i)
            facts.rounds[1].samples[i].master += 10'000; // a step in the middle of the round
        const FittedClock found = fitted(fit, facts);
        const ClockNote note = only_note(found, ClockTrouble::contradiction);
        CHECK(note.amount_ns == Approx(10'000 - 480).epsilon(0.05)); // less what a message may take
        CHECK(static_cast<double>(note.tick - clock.origin) == Approx(length_ns / 2).epsilon(1e-3));
        CHECK(found.map.half_width_ns(note.tick) >= 4'700);
        CHECK(accuracy(found.map, clock, 0, length_ns).largest <= 5'500);
    }
}

TEST_CASE("two rounds close to each other count as one") {
    std::vector<double> moments = {0, 10e9, 10.001e9, 20e9, 30e9, 30.001e9};
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const SimulatedClock clock = drifting(20);
        const FittedClock joined = fitted(Fit::interval, simulated_facts(clock, {}, moments, seed));
        CHECK(joined.map.notes.empty());
        CHECK(joined.map.knots.size() == 4);
        CHECK(joined.rounds.size() == 6);
        for (const ClockKnot& knot : joined.map.knots) CHECK(1 / knot.rate == Approx(1 + 20e-6).epsilon(1e-7));
        CHECK(accuracy(joined.map, clock, -5e9, 35e9).largest <= 60);
        // All other rounds are too far away to do harm.
        CHECK(fitted(Fit::interval, simulated_facts(clock, {}, {0, 1e9, 3e9, 4e9}, seed)).map.knots.size() == 4);
    }
}
