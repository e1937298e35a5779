// What messages say of clocks, for messages of clocks that are known.
#include "postproc/refine/pairwise_offsets.hpp"
#include "tests/unit/made/catch.hpp"

#include <cmath>
#include <map>
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

// Messages between two clocks, of which one is fast or slow by 20 ppm, and was measured once.
class Late {
  public:
    explicit Late(unsigned seed) : random_{seed} {
        round = time_of_ns(chosen({1e6, 3e7}));
        end = time_of_ns(chosen({0.3e9, 0.9e9, 1.5e9, 2.5e9, 4.5e9}));
        drift_ = chosen({-20e-6, 20e-6});
        wrong_ns_ = within_ns_ * std::uniform_real_distribution<double>{-1, 1}(random_);
        const double late_ones = chosen({0.1, 0.5, 0.9, 0.98});
        std::exponential_distribution<double> late{1 / chosen({2e4, 2e5, 4e6})};
        std::exponential_distribution<double> more{1 / 300.0};
        const auto count = static_cast<GlobalTime>(chosen({100, 500}));
        for (GlobalTime i = 0; i < 2 * count; ++i) {
            const GlobalTime sent = begin + (end - begin) / count * (i / 2);
            const bool is_late = std::bernoulli_distribution{late_ones}(random_);
            const GlobalTime received = sent + time_of_ns(1000 + more(random_) + (is_late ? late(random_) : 0));
            if (received < end) messages_.push_back({static_cast<std::uint32_t>(i % 2), sent, received});
        }
    }

    // By how much clock 1 is ahead, as measured by the round.
    [[nodiscard]] double ahead(GlobalTime time) const { return wrong_ns_ + drift_ * ns_from(round, time); }

    [[nodiscard]] std::vector<ClockOffset> leads() const {
        const Windows windows = windows_between(begin, end);
        std::vector<OffsetUncertainty> known{{.clock = 1, .at = round, .measured = true, .ns = within_ns_}};
        for (std::uint32_t window = 0; window < windows.count; ++window) {
            const GlobalTime middle = windows.middle(window);
            known.push_back({.clock = 0, .at = middle});
            known.push_back({.clock = 1, .at = middle, .ns = within_ns_ + 1.1e-4 * ns_from(round, middle)});
        }
        std::vector<ClockOffset> leads;
        for (int pass = 0; pass < 4; ++pass) leads = pairwise_offsets(quickest(windows, leads), known, windows, leads);
        return leads;
    }

    GlobalTime round = 0;
    GlobalTime begin = 50 * ms;
    GlobalTime end = 0;

  private:
    struct Message {
        std::uint32_t from = 0;
        GlobalTime sent = 0;
        GlobalTime received = 0;
    };

    double chosen(std::initializer_list<double> list) {
        return list.begin()[std::uniform_int_distribution<std::size_t>{0, list.size() - 1}(random_)];
    }

    // What a clock shows, less what is known of it so far.
    [[nodiscard]] GlobalTime shown(std::uint32_t clock, GlobalTime time, const std::vector<ClockOffset>& so_far) const {
        if (clock == 0) return time;
        return time + time_of_ns(ahead(time) - (so_far.empty() ? 0 : so_far[1].at(time)));
    }

    [[nodiscard]] std::vector<Quickest> quickest(const Windows& windows, const std::vector<ClockOffset>& so_far) const {
        std::map<std::pair<std::uint32_t, std::uint32_t>, Quickest> best;
        for (const Message& message : messages_) {
            const std::uint32_t to = 1 - message.from;
            const GlobalTime at = shown(to, message.received, so_far);
            Quickest& known = best[{message.from, windows.of(at)}];
            const GlobalTime took = at - shown(message.from, message.sent, so_far);
            if (took < known.took) known = {message.from, to, windows.of(at), took, at};
        }
        std::vector<Quickest> list;
        for (const auto& [key, one] : best) list.push_back(one);
        return list;
    }

    std::mt19937_64 random_;
    double drift_ = 0;
    double within_ns_ = 600;
    double wrong_ns_ = 0;
    std::vector<Message> messages_;
};

} // namespace

TEST_CASE("messages say by how much clocks are ahead", "[refine]") {
    const Windows windows = windows_between(0, run);
    CHECK(windows.count == 20);
    const std::vector<ClockOffset> leads = pairwise_offsets(quickest(4, windows, false), {}, windows, {});
    REQUIRE(leads.size() == 4);
    CHECK(worst(leads) < 2500); // of 60 us, after one step, while they drift by several us in a window
    for (const ClockOffset& lead : leads)
        for (GlobalTime time = 1000 * ms; time < run - 1000 * ms; time += 100 * ms) {
            CHECK(std::abs(lead.at(time) - ahead(lead.clock, time)) <= lead.within(time));
            CHECK(lead.within(time) < 80e3);
        }
}

TEST_CASE("a window in which nothing was quick is left out", "[refine]") {
    const Windows windows = windows_between(0, run);
    CHECK(worst(pairwise_offsets(quickest(3, windows, true), {}, windows, {})) < 2000);
}

TEST_CASE("what was measured better than messages say holds", "[refine]") {
    const Windows windows = windows_between(0, run);
    std::vector<OffsetUncertainty> known;
    for (std::uint32_t clock = 0; clock < 2; ++clock)
        for (std::uint32_t window = 0; window < windows.count; ++window)
            known.push_back({clock, windows.middle(window), false, 1});
    for (const ClockOffset& lead : pairwise_offsets(quickest(2, windows, false), known, windows, {}))
        for (GlobalTime time = 0; time < run; time += 100 * ms) CHECK(std::abs(lead.at(time)) < 10);
}

TEST_CASE("clocks that no messages lead to are left alone", "[refine]") {
    const Windows windows = windows_between(0, run);
    std::vector<Quickest> messages = quickest(4, windows, false);
    std::erase_if(messages,
                  [](const Quickest& message) { return message.from == 2 || message.to == 2 || message.from == 3; });
    const std::vector<ClockOffset> leads = pairwise_offsets(messages, {}, windows, {});
    CHECK(leads.size() == 2);
    CHECK(pairwise_offsets({}, {}, windows, {}).empty());
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

TEST_CASE("between its points a clock is within its stated bounds", "[refine]") {
    // Points at unequal distances, each wrong by as much as it may be, in any direction.
    for (unsigned signs = 0; signs < 32; ++signs) {
        ClockOffset lead{.clock = 1, .points = {}};
        for (const GlobalTime time : {100, 900, 1000, 1900, 4000}) {
            const double sign = (signs >> lead.points.size()) % 2 == 0 ? 1 : -1;
            lead.points.push_back({time * ms, sign * static_cast<double>(time), static_cast<double>(time)});
        }
        for (GlobalTime time = 0; time < 5000 * ms; time += 10 * ms)
            CHECK(std::abs(lead.at(time)) <= lead.within(time) * (1 + 1e-12));
    }
}

TEST_CASE("however late messages are, a clock is within its stated bounds", "[refine]") {
    // As in a job that was killed beside much other work: few messages, most of them late, and one round at the start.
    for (unsigned seed = 0; seed < 300; ++seed) {
        const Late late{seed};
        INFO("seed " << seed);
        const std::vector<ClockOffset> leads = late.leads();
        if (leads.empty()) continue; // no message arrived in one of the directions
        REQUIRE(leads.size() == 2);
        double out_by = 0;
        for (GlobalTime time = late.round; time < late.end; time += late.end / 500)
            out_by = std::max(out_by, std::abs(leads[1].at(time) - late.ahead(time)) - leads[1].within(time));
        CHECK(out_by <= 0);
    }
}
