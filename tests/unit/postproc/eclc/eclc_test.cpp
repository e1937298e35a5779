// The correction against what a simulated run knows: a fixed point over the whole graph of events, found by trying
// again until nothing changes.
#include "postproc/compensate/compensated_run.hpp"
#include "postproc/finish/in_threads.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/replay/wire.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/random_run.hpp"
#include "trace/fields.hpp"

#include <algorithm>
#include <cmath>
#include <map>

using namespace tactus;

namespace {

constexpr double almost_steep = 1e18; // a slope so steep that nothing before a jump is stretched

Trace opened(const TestFolder& folder, const std::vector<MadeRank>& ranks) {
    const std::string path = (folder.path() / "app.tactus").string();
    if (!std::filesystem::exists(path)) write_trace(path, ranks);
    auto trace = Trace::open(path);
    if (!trace) throw std::runtime_error{trace.error().line()};
    return std::move(*trace);
}

FinishOptions wanted(double slope, double decay) {
    FinishOptions options;
    options.refine = false; // the clocks stay as wrong as they are
    options.eclc.slope = slope;
    options.decay = decay;
    return options;
}

Finished finished(const Trace& trace, double slope, double decay) {
    LonelyWire wire;
    return finish(trace, wire, wanted(slope, decay), [](const char*) {});
}

template <class T> Bytes bytes_of(const T& value) {
    Bytes bytes;
    write_value(bytes, value);
    return bytes;
}

// What finishing found becomes part of the files.
void store(const Trace& trace, const Finished& done) {
    for (std::size_t i = 0; i < done.ranks.size(); ++i)
        if (const auto news = news_for(trace.ranks[i], done, i, i == 0)) CHECK(append_to(trace.ranks[i], {}, *news));
}

// The times of every rank's events by their ticks, nothing moved that need not be.
using Times = std::vector<std::map<Ticks, GlobalTime>>;

Times fixed_point(const Trace& trace, const RandomRun& run, double decay) {
    Times times(run.ranks.size());
    for (const Need& need : run.needs) {
        if (need.known) continue;
        times[need.giver][need.given] = trace.ranks[need.giver].clock().at(need.given);
        times[need.taker][need.taken] = trace.ranks[need.taker].clock().at(need.taken);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t rank = 0; rank < times.size(); ++rank) {
            GlobalTime moved = 0;
            GlobalTime moved_at = 0;
            for (auto& [tick, time] : times[rank]) {
                const GlobalTime before = trace.ranks[rank].clock().at(tick);
                const auto recovered =
                    static_cast<GlobalTime>(std::floor(decay * static_cast<double>(before - moved_at)));
                GlobalTime earliest = before + std::max<GlobalTime>(moved - recovered, 0);
                for (const Need& need : run.needs)
                    if (!need.known && need.taker == rank && need.taken == tick &&
                        times[need.giver][need.given] > earliest) {
                        earliest = times[need.giver][need.given];
                        moved = earliest - before;
                        moved_at = before;
                    }
                changed = changed || earliest != time;
                time = earliest;
            }
        }
    }
    return times;
}

} // namespace

TEST_CASE("forward, the correction is the fixed point of the graph, and nothing is later", "[eclc]") {
    std::uint64_t jumps = 0;
    for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
        const double decay = seed % 3 == 0 ? 1e-4 : seed % 3 == 1 ? 0.01 : 0.5;
        const RandomRun run = random_run(seed, seed % 10 == 0 ? 0 : 3000);
        const TestFolder folder;
        const Trace trace = opened(folder, run.ranks);
        const Finished done = finished(trace, almost_steep, decay);
        const Times wanted = fixed_point(trace, run, decay);
        INFO("seed " << seed);
        CHECK(done.quality.reversed_corrected == 0);
        CHECK(done.quality.released == 0);
        CHECK(done.quality.unmatched == std::vector<std::uint64_t>(unmatched_count, 0));
        for (std::uint32_t rank = 0; rank < wanted.size(); ++rank)
            for (const auto& [tick, time] : wanted[rank]) REQUIRE(done.clocks[rank].at(tick) == time);
        if (seed % 10 == 0) CHECK(done.quality.jumps == 0);
        jumps += done.quality.jumps;
    }
    CHECK(jumps > seeds(100));
}

TEST_CASE("corrected, nothing is taken before it was given, and every rank's time goes on", "[eclc]") {
    for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
        const double decay = seed % 2 == 0 ? 1e-4 : 0.01;
        const RandomRun run = random_run(1000 + seed, 3000);
        const TestFolder folder;
        const Trace trace = opened(folder, run.ranks);
        const Finished done = finished(trace, 0.01, decay);
        const Times forward = fixed_point(trace, run, decay);
        INFO("seed " << seed);
        CHECK(done.quality.reversed_corrected == 0);
        std::map<std::pair<std::uint32_t, Ticks>, GlobalTime> limits;
        for (const Need& need : run.needs) {
            CHECK(done.clocks[need.giver].at(need.given) <= done.clocks[need.taker].at(need.taken));
            if (need.known) continue;
            GlobalTime& limit =
                limits.try_emplace({need.giver, need.given}, std::numeric_limits<GlobalTime>::max()).first->second;
            limit = std::min(limit, forward[need.taker].at(need.taken));
        }
        for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
            GlobalTime last = std::numeric_limits<GlobalTime>::min();
            for (const MadeRecord& made : run.ranks[rank].lanes[0].records)
                for (const Ticks tick : {made.record.enter, made.record.leave}) {
                    const GlobalTime time = done.clocks[rank].at(tick);
                    REQUIRE(time > last);
                    last = time;
                }
            for (const auto& [tick, time] : forward[rank]) {
                CHECK(done.clocks[rank].at(tick) >= time);
                if (const auto limit = limits.find({rank, tick}); limit != limits.end())
                    CHECK(done.clocks[rank].at(tick) <= limit->second);
            }
        }
    }
}

TEST_CASE("however many threads play the ranks, they say the same", "[eclc]") {
    for (std::uint64_t seed = 1; seed <= seeds(100); ++seed) {
        const TestFolder folder;
        const Trace trace = opened(folder, random_run(2000 + seed, 3000).ranks);
        FinishOptions options = wanted(0.01, 1e-4);
        options.refine = seed % 2 == 0;
        options.compensate = seed % 10 == 1; // takes an exchange between the threads for each message
        LonelyWire wire;
        const Finished reference = finish(trace, wire, options, [](const char*) {});
        const std::string paged = folder.path().string();
        if (seed % 4 > 1) options.paging = {paged.c_str(), 1};
        const Finished many =
            finish_in_threads(trace, static_cast<std::uint32_t>(2 + seed % 3), options, [](const char*) {});
        INFO("seed " << seed);
        REQUIRE(many.ranks == reference.ranks);
        CHECK(many.quality.jumps == reference.quality.jumps);
        CHECK(many.quality.reversed_refined == reference.quality.reversed_refined);
        for (std::size_t i = 0; i < reference.clocks.size(); ++i) {
            CHECK(many.clocks[i].refined.knots == reference.clocks[i].refined.knots);
            CHECK(many.clocks[i].corrected.knots == reference.clocks[i].corrected.knots);
        }
        REQUIRE(many.compensated.size() == reference.compensated.size());
        CHECK(reference.compensated.empty() != options.compensate);
        for (std::size_t i = 0; i < reference.compensated.size(); ++i)
            CHECK(bytes_of(many.compensated[i]) == bytes_of(reference.compensated[i]));
    }
}

TEST_CASE("ranks that share one clock are finished as if every step were made by itself", "[eclc]") {
    std::size_t reversed = 0;
    for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
        const TestFolder folder;
        const TestFolder shared;
        RandomRun run = random_run(4000 + seed, seed % 3 == 0 ? 3000 : 0);
        const Trace by_steps = opened(folder, run.ranks);
        for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
            run.ranks[rank].definitions.clock_places = {
                {.relation = rank == 0 ? ClockRelation::reference : ClockRelation::shared, .master = 0}};
        const Trace at_once = opened(shared, run.ranks);
        FinishOptions options = wanted(0.01, 1e-4);
        options.correct = seed % 4 != 0;
        options.compensate = seed % 10 == 1;
        LonelyWire wire;
        const Finished reference = finish(by_steps, wire, options, [](const char*) {});
        const auto threads = static_cast<std::uint32_t>(1 + seed % 2);
        bool counted_by_itself = false;
        const Finished done = finish_in_threads(at_once, threads, options, [&](const char* what) {
            counted_by_itself = counted_by_itself || std::string_view{what} == "counting what is reversed";
        });
        INFO("seed " << seed);
        REQUIRE(done.done);
        const bool corrects = reference.quality.reversed_fitted > 0 && options.correct;
        reversed += corrects ? 1 : 0;
        CHECK(counted_by_itself == corrects);
        CHECK(done.run == reference.run);
        CHECK(done.links == reference.links);
        CHECK(bytes_of(done.quality) == bytes_of(reference.quality));
        REQUIRE(done.clocks.size() == reference.clocks.size());
        REQUIRE(done.waits.size() == reference.clocks.size());
        REQUIRE(done.compensated.size() == reference.compensated.size());
        for (std::size_t i = 0; i < reference.clocks.size(); ++i) {
            CHECK(done.clocks[i].corrected.knots == reference.clocks[i].corrected.knots);
            CHECK(bytes_of(done.waits[i]) == bytes_of(reference.waits[i]));
        }
        for (std::size_t i = 0; i < reference.compensated.size(); ++i)
            CHECK(bytes_of(done.compensated[i]) == bytes_of(reference.compensated[i]));
    }
    CHECK(reversed > 0);
}

TEST_CASE("a finished trace stays as it is", "[eclc]") {
    const RandomRun run = random_run(7, 5000);
    const TestFolder folder;
    opened(folder, run.ranks);
    for (int round = 0; round < 2; ++round) {
        const Trace trace = opened(folder, {});
        const Finished done = finished(trace, 0.01, 1e-3);
        CHECK(done.quality.jumps > 0);
        for (std::size_t i = 0; i < done.ranks.size(); ++i)
            CHECK(news_for(trace.ranks[i], done, i, i == 0).has_value() == (round == 0));
        store(trace, done);
    }
    const Trace trace = opened(folder, {});
    CHECK(trace.problems.empty());
    for (const Need& need : run.needs)
        CHECK(trace.ranks[need.giver].clock().at(need.given) <= trace.ranks[need.taker].clock().at(need.taken));
}

TEST_CASE("a finished trace says what a reader would compute of the run without the tracer", "[eclc]") {
    RandomRun run = random_run(11, 5000);
    for (MadeRank& rank : run.ranks) rank.definitions.costs = {{.call = 100}};
    const TestFolder folder;
    const Trace recorded = opened(folder, run.ranks);
    CHECK_FALSE(stored_compensation(recorded, run_identity(recorded)));
    FinishOptions options = wanted(0.01, 1e-3);
    options.compensate = true;
    LonelyWire wire;
    store(recorded, finish(recorded, wire, options, [](const char*) {}));

    const Trace trace = opened(folder, {});
    const CompensatedRun computed = *compensated_run(trace, DelaySource::computed);
    const auto stored = stored_compensation(trace, run_identity(trace));
    REQUIRE(stored);
    CHECK(stored->counts.messages > 0);
    CHECK(stored->counts.messages == computed.counts.messages);
    CHECK(stored->counts.collectives == computed.counts.collectives);
    CHECK(stored->unknown == computed.unknown);
    CHECK(stored->unmatched == computed.unmatched);
    CHECK(stored->wall.compensated_s < stored->wall.measured_s);
    REQUIRE(stored->ranks.size() == computed.ranks.size());
    for (std::size_t i = 0; i < computed.ranks.size(); ++i) {
        CompensatedRank same = stored->ranks[i];
        same.released = 0; // is part of `unknown` in a run that a reader computes
        same.run = 0;
        CHECK(bytes_of(same) == bytes_of(computed.ranks[i]));
    }

    // Finished again by another clock, and without compensation.
    store(trace, finished(trace, 0.5, 1e-4));
    const Trace again = opened(folder, {});
    CHECK_FALSE(stored_compensation(again, run_identity(again)));
}
