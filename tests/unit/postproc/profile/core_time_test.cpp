// What threads did with their time, by made stretches.
#include "postproc/profile/core_time.hpp"
#include "postproc/profile/profile.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <random>

using namespace tactus;

namespace {

constexpr Ticks ms = 1'000'000;

// What a rank did whose thread has these records.
RankUse use_of(const std::vector<MadeRecord>& records, std::size_t records_a_block = 1000, const Window& window = {},
               const std::vector<ProcessorCounter>& counters = {}) {
    const TestFolder folder;
    auto ranks = made_ranks(1);
    ranks[0].definitions.processor_counters = counters;
    ranks[0].lanes = {{.records = records, .records_a_block = records_a_block}};
    write_trace(folder.path() / "app.tactus", ranks);
    const auto trace = Trace::open((folder.path() / "app.tactus").string());
    REQUIRE(trace);
    return make_profile(*trace, window).ranks[0].use;
}

MadeRecord stretch(Ticks at, Ticks length, Ticks ran, std::int64_t waited = -1) {
    return made_stretch(at, {.length = length, .ran_ns = static_cast<std::int64_t>(ran), .waited_ns = waited});
}

} // namespace

TEST_CASE("core time: what was outside of MPI, and what was inside") {
    const RankUse use = use_of({made_call(Function::Init, 0, 10 * ms), stretch(110 * ms, 100 * ms, 70 * ms, 20 * ms),
                                made_call(Function::Barrier, 110 * ms, 130 * ms), stretch(130 * ms, 20 * ms, 0, 0),
                                made_call(Function::Finalize, 140 * ms, 141 * ms)});
    CHECK(use.outside.ran_s == Approx(0.063)); // MPI_Init is in the first stretch, and is a tenth of it
    CHECK(use.outside.waited_s == Approx(0.018));
    CHECK(use.outside.asleep_s == Approx(0.009));
    CHECK(use.inside.ran_s == Approx(0.007));
    CHECK(use.inside.asleep_s == Approx(0.021));
    CHECK(use.first_thread.size() == 2);
}

TEST_CASE("core time: what the system says later belongs to all stretches before") {
    const RankUse use = use_of({made_call(Function::Init, 0, 1), stretch(100 * ms, 100 * ms, 80 * ms),
                                stretch(200 * ms, 100 * ms, 40 * ms, 60 * ms), stretch(300 * ms, 100 * ms, 50 * ms)});
    CHECK(use.outside.ran_s == Approx(0.17));
    CHECK(use.outside.waited_s == Approx(0.06));
    CHECK(use.outside.asleep_s == Approx(0.02));
    CHECK(use.outside.off_core_s == Approx(0.05)); // the last was never told
    REQUIRE(use.first_thread.size() == 3);
    CHECK(use.first_thread[0].time.waited_s == Approx(0.015)); // a quarter of the time that it was not on a core
    CHECK(use.first_thread[1].time.waited_s == Approx(0.045));
}

TEST_CASE("core time: numbers that cannot be are cut to what can") {
    const RankUse use = use_of(
        {stretch(100 * ms, 100 * ms, 200 * ms, 300 * ms), stretch(200 * ms, 100 * ms, 0, 900 * ms),
         made_stretch(300 * ms, {.length = 2000 * ms, .ran_ns = 1}), made_stretch(300 * ms, {.length = 0, .ran_ns = 1}),
         made_stretch(300 * ms, {.length = 1, .ran_ns = -5})});
    CHECK(use.outside.ran_s == Approx(0.1));
    CHECK(use.outside.waited_s == Approx(0.1));
    CHECK(use.outside.total_s() == Approx(0.2));
}

TEST_CASE("core time: adjacent windows add up to the whole, however the records lie in blocks") {
    std::mt19937_64 random{7};
    const auto below = [&](Ticks most) { return random() % most; };
    std::vector<MadeRecord> records;
    Ticks at = 10 * ms;
    Ticks read = at;
    for (int i = 0; i < 200; ++i) {
        at += 1 + below(3 * ms);
        const Ticks enter = at;
        at += 1 + below(2 * ms);
        records.push_back(made_call(Function::Barrier, enter, at));
        if (below(3) != 0) continue;
        const Ticks ran = below(at - read + 1);
        records.push_back(stretch(at, at - read, ran, static_cast<std::int64_t>(below(at - read - ran + 1))));
        read = at;
    }
    const RankUse whole = use_of(records);
    CHECK(use_of(records, 7).outside.ran_s == Approx(whole.outside.ran_s));
    // A stretch of which some calls lie in blocks that are not read is left out: so one block.
    for (const double part : {0.2, 0.5, 0.9}) {
        const GlobalTime cut = time_of_ns(part * static_cast<double>(at) + 1e9);
        const RankUse before = use_of(records, 1000, {.from = {}, .to = cut});
        const RankUse after = use_of(records, 1000, {.from = cut, .to = {}});
        CHECK(before.outside.ran_s + after.outside.ran_s == Approx(whole.outside.ran_s));
        CHECK(before.inside.waited_s + after.inside.waited_s == Approx(whole.inside.waited_s));
        CHECK(before.outside.asleep_s + after.outside.asleep_s == Approx(whole.outside.asleep_s));
    }
}

TEST_CASE("core time: between two instants, against adding up each stretch's part") {
    const TestFolder folder;
    auto ranks = made_ranks(1);
    ranks[0].lanes = {{.records = {made_call(Function::Init, 0, 1)}}};
    write_trace(folder.path() / "app.tactus", ranks);
    const auto trace = Trace::open((folder.path() / "app.tactus").string());
    REQUIRE(trace);
    const ProcessClock& clock = trace->ranks[0].clock();
    std::mt19937_64 random{11};
    std::vector<TimeOutside> stretches;
    Ticks at = made_start;
    for (int i = 0; i < 300; ++i) {
        const Ticks from = at + random() % 3 * 1000;
        at = from + 1 + random() % 5000;
        const auto some = [&] { return static_cast<double>(random() % 100); };
        stretches.push_back({from, at, {.ran_s = some(), .waited_s = some(), .asleep_s = some()}});
    }
    const OutsideUntil outside{stretches, clock};
    for (int i = 0; i < 1000; ++i) {
        const Ticks from = made_start - 1000 + random() % (at - made_start);
        const Ticks to = from + random() % 20000;
        CoreTime sum;
        for (const TimeOutside& stretch : stretches)
            if (const Ticks inside = TickWindow{from, to}.part_of(stretch.from, stretch.to); inside > 0)
                sum += stretch.time.times(static_cast<double>(inside) / static_cast<double>(stretch.to - stretch.from));
        const CoreTime between = outside.between(clock.at(from), clock.at(to));
        CHECK(between.ran_s == Approx(sum.ran_s).margin(1e-6));
        CHECK(between.waited_s == Approx(sum.waited_s).margin(1e-6));
        CHECK(between.asleep_s == Approx(sum.asleep_s).margin(1e-6));
    }
    CHECK(outside.between(clock.at(at), clock.at(made_start)).total_s() == 0);
    CHECK(OutsideUntil{}.between(0, clock.at(at)).total_s() == 0);
}

TEST_CASE("core time: of very many stretches neighbors are added up, and nothing is lost") {
    std::vector<MadeRecord> records = {made_call(Function::Init, 0, 1)};
    for (Ticks i = 1; i <= 40000; ++i) records.push_back(stretch(i * 10, 10, i % 11, 0));
    const RankUse use = use_of(records, 1000);
    REQUIRE(use.first_thread.size() > 1000);
    CHECK(use.first_thread.size() < 20000);
    double ran_s = 0;
    for (const TimeOutside& kept : use.first_thread) ran_s += kept.time.ran_s;
    CHECK(ran_s == Approx(use.outside.ran_s));
    CHECK(use.first_thread.front().from == made_start);
    CHECK(use.first_thread.back().to == made_start + 400000);
}

TEST_CASE("core time: what the processor counted belongs to the part outside of MPI, as the time does") {
    const std::vector<ProcessorCounter> counters = {{.name = "page_faults"},
                                                    {.name = "instructions"},
                                                    {.name = "cycles"},
                                                    {.name = "cache_misses"},
                                                    {.name = "cycles", .counted = 900}}; // the same again, at the end
    const auto counted = [](Ticks at, Ticks length, std::array<std::int64_t, most_counters> counts) {
        return made_stretch(at, {.length = length, .ran_ns = static_cast<std::int64_t>(length), .counted = counts});
    };
    const RankUse use =
        use_of({made_call(Function::Init, 0, 1), counted(100 * ms, 100 * ms, {1, 2000, 4000, 20}),
                counted(200 * ms, 100 * ms, {1, 1000, 1000, -1}), counted(300 * ms, 100 * ms, {1, -1, 7000, 30}),
                made_call(Function::Barrier, 300 * ms, 400 * ms), counted(400 * ms, 100 * ms, {1, 500, 900, 1})},
               1000, {}, counters);
    const ProcessorCounts& outside = use.outside.counts;
    CHECK(outside.user_s == Approx(0.2)); // where both were counted
    CHECK_FALSE(use.outside.counted());   // two thirds of the time are too little
    CHECK(outside.ipc() == Approx(3000.0 / 5000));
    CHECK(outside.hertz() == Approx(5000 / 0.2));
    CHECK(outside.misses_per_1000() == Approx(10));
    CHECK(use.inside.counts.instructions == Approx(500));
    CHECK_FALSE(use_of({counted(100 * ms, 100 * ms, {1, 2, 3, 4})}).outside.counts.known()); // whatever these are
}
