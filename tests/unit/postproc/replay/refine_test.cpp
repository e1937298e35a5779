// What messages say of clocks, for messages of clocks that are known.
#include "postproc/refine/pairwise_offsets.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace tactus;

namespace {

constexpr GlobalTime ms = static_cast<GlobalTime>(1e6 * time_units_per_ns);
constexpr GlobalTime run = 20'000 * ms;

// How far each clock is ahead, in ns.
double ahead(std::uint32_t clock, GlobalTime time) {
    return clock == 0 ? 0
                      : 20e3 * clock * std::sin(to_ns(time) * 1e-9 / 6.4) *
                            std::sin(3.1415926 * static_cast<double>(time) / run);
}

// The quickest messages of each window between neighbors in a chain. They take at least 1 us, mostly more.
std::vector<Quickest> quickest(std::uint32_t clocks, const Windows& windows, bool late_in_window_7) {
    std::mt19937_64 random{5};
    std::exponential_distribution<double> more{1 / 400.0};
    std::vector<Quickest> list;
    for (std::uint32_t from = 0; from < clocks; ++from)
        for (const std::int64_t other : {std::int64_t{from} - 1, std::int64_t{from} + 1}) {
            if (other < 0 || other >= std::int64_t{clocks}) continue;
            const auto to = static_cast<std::uint32_t>(other);
            for (std::uint32_t window = 0; window < windows.count; ++window) {
                Quickest best{.from = from, .to = to, .window = window};
                for (int i = 0; i < 500; ++i) {
                    const GlobalTime sent = windows.begin + windows.length * window + windows.length * i / 500;
                    double took = 1000 + more(random);
                    if (late_in_window_7 && window == 7 && from > to) took += 50'000;
                    const GlobalTime at = sent + time_of_ns(took);
                    const GlobalTime seen = time_of_ns(took + ahead(to, at) - ahead(from, sent));
                    if (seen < best.took) best = {from, to, window, seen, at};
                }
                list.push_back(best);
            }
        }
    return list;
}

double worst(const std::vector<ClockOffset>& leads) {
    double worst_ns = 0;
    for (const ClockOffset& lead : leads)
        for (GlobalTime time = 1000 * ms; time < run - 1000 * ms; time += 100 * ms)
            worst_ns = std::max(worst_ns, std::abs(lead.at(time) - ahead(lead.clock, time)));
    return worst_ns;
}

} // namespace

TEST_CASE("messages say by how much clocks are ahead", "[refine]") {
    const Windows windows = windows_between(0, run);
    CHECK(windows.count == 20);
    const std::vector<ClockOffset> leads = pairwise_offsets(quickest(4, windows, false), {}, windows);
    REQUIRE(leads.size() == 4);
    CHECK(worst(leads) < 2500); // of 60 us, after one step, while they drift by several us in a window
    for (const ClockOffset& lead : leads)
        for (GlobalTime time = 1000 * ms; time < run - 1000 * ms; time += 100 * ms) CHECK(lead.within(time) < 25e3);
}

TEST_CASE("a window in which nothing was quick is left out", "[refine]") {
    const Windows windows = windows_between(0, run);
    CHECK(worst(pairwise_offsets(quickest(3, windows, true), {}, windows)) < 2000);
}

TEST_CASE("what was measured better than messages say holds", "[refine]") {
    const Windows windows = windows_between(0, run);
    std::vector<OffsetUncertainty> known;
    for (std::uint32_t clock = 0; clock < 2; ++clock)
        for (std::uint32_t window = 0; window < windows.count; ++window)
            known.push_back({clock, windows.middle(window), false, 1, 0});
    for (const ClockOffset& lead : pairwise_offsets(quickest(2, windows, false), known, windows))
        for (GlobalTime time = 0; time < run; time += 100 * ms) CHECK(std::abs(lead.at(time)) < 10);
}

TEST_CASE("clocks that no messages lead to are left alone", "[refine]") {
    const Windows windows = windows_between(0, run);
    std::vector<Quickest> messages = quickest(4, windows, false);
    std::erase_if(messages,
                  [](const Quickest& message) { return message.from == 2 || message.to == 2 || message.from == 3; });
    const std::vector<ClockOffset> leads = pairwise_offsets(messages, {}, windows);
    CHECK(leads.size() == 2);
    CHECK(pairwise_offsets({}, {}, windows).empty());
}

TEST_CASE("after the last message a clock is within its stated bounds", "[refine]") {
    constexpr double drift = 20e-6;
    const auto truth = [](GlobalTime time) { return drift * to_ns(time); };
    for (const double error : {-2900.0, 2900.0}) { // of what the messages say: as much as their bounds allow
        const GlobalTime round = 350 * ms;
        const GlobalTime messages = 490 * ms;
        const ClockOffset lead{.clock = 1,
                               .points = {{round, truth(round), 600}, {messages, truth(messages) + error, 2900}}};
        for (GlobalTime time = 0; time < 1000 * ms; time += 10 * ms)
            CHECK(std::abs(lead.at(time) - truth(time)) <= lead.within(time));
        const ClockOffset alone{.clock = 1, .points = {lead.points.back()}};
        for (GlobalTime time = 0; time < 1000 * ms; time += 10 * ms)
            CHECK(std::abs(alone.at(time) - truth(time)) <= alone.within(time));
    }
}
