// Clocks from what ranks did together in NCCL, where there is nothing else. The truth must be within the stated bounds.
#include "postproc/nccl/clocks.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/made_nccl.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

using namespace tactus;
using nlohmann::json;

namespace {

// How a rank's clock is wrong: what it shows, as a function of nanoseconds since the true start, and what the date of
// its host was at the start.
struct Wrong {
    double date_ns = 0;
    double ppm = 0;
    std::string host = "node1";
    [[nodiscard]] Ticks tick(double true_ns) const {
        return static_cast<Ticks>(std::llround(true_ns * (1 + 1e-6 * ppm)));
    }
};

struct Operations {
    double seconds = 0.5;
    int count = 400;
    double length_ns = 20'000;
    double late_ns = 200'000; // at most; one of the ranks is late by so much
    std::uint8_t flags = NcclTag::drawn;
    std::int32_t root = peer::none; // none: an AllReduce; else a Broadcast
};

std::vector<MadeRank> made(const std::vector<Wrong>& wrong, const Operations& what) {
    std::vector<MadeRank> ranks = made_nccl_ranks(static_cast<std::uint32_t>(wrong.size()), false);
    std::mt19937_64 random{5};
    std::uniform_real_distribution<double> share{0, 1};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].header.host = wrong[i].host;
        ranks[i].header.start.realtime_ns += std::llround(wrong[i].date_ns);
        ranks[i].lanes = {{.number = 1, .records = {}}};
        if (what.root != peer::none) ranks[i].definitions.symbols[0].name = "NCCL:Broadcast";
    }
    for (int k = 0; k < what.count; ++k) {
        const double at = 1e6 + what.seconds * 1e9 / what.count * k;
        std::vector<double> begin;
        for (std::size_t i = 0; i < ranks.size(); ++i)
            begin.push_back(at + (random() % 2 == 0 ? 0 : share(random) * what.late_ns));
        const double end = *std::max_element(begin.begin(), begin.end()) + what.length_ns * (0.7 + 0.6 * share(random));
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            MadeRecord record = made_nccl({.sequence = k,
                                           .start = wrong[i].tick(begin[i]),
                                           .end = wrong[i].tick(end + share(random) * 2000),
                                           .flags = what.flags});
            record.record.what.peer = what.root;
            ranks[i].lanes[0].records.push_back(record);
        }
    }
    return ranks;
}

std::vector<NcclClock> clocks_of(const std::vector<MadeRank>& ranks, const TestFolder& folder) {
    const std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    CHECK(lacks_other_clocks(*trace));
    const NcclParts parts = read_nccl(*trace);
    return nccl_clocks(*trace, parts, match_nccl(parts));
}

// Checks that the clocks of two ranks are off against each other by no more than they are said to be, and by at most
// `at_most_ns`.
void check_truth(const std::string& path, const std::vector<Wrong>& wrong, double seconds, double at_most_ns) {
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    for (double t = 1e6; t < seconds * 1e9; t += seconds * 1e8)
        for (std::size_t i = 1; i < wrong.size(); ++i) {
            const Ticks here = made_start + wrong[i].tick(t);
            const GlobalTime first = trace->ranks[0].clock().at(made_start + wrong[0].tick(t));
            const double off = std::abs(ns_from(first, trace->ranks[i].clock().at(here)));
            const double within = trace->ranks[i].clock().half_width_ns(here);
            INFO("rank " << i << " after " << t << " ns is off by " << off << " ns, said to be within " << within);
            CHECK(off <= within);
            CHECK(within < at_most_ns);
        }
}

} // namespace

TEST_CASE("ranks without MPI come to one clock by what they did in NCCL", "[nccl]") {
    const std::vector<Wrong> wrong = {{.host = "a"},
                                      {.date_ns = 3e6, .ppm = 0, .host = "b"},
                                      {.date_ns = -8e6, .ppm = 4, .host = "c"},
                                      {.date_ns = 500, .ppm = -3, .host = "d"}};
    for (const double seconds : {0.5, 6.0}) {
        const TestFolder folder;
        const std::string path = (folder.path() / "app.tactus").string();
        write_trace(path, made(wrong, {.seconds = seconds, .count = 2000}));
        const CommandOutcome finished = run_tactus("finish " + path);
        CHECK(finished.status == 0);
        CHECK(finished.errors.empty());
        CHECK(finished.output.find("clocks by what ranks did together in NCCL: 1 rank on the first one's") !=
              std::string::npos);
        check_truth(path, wrong, seconds, 200'000);
        CHECK(run_tactus("finish " + path).output.find("nothing changed") != std::string::npos);
        const json clocks = json::parse(run_tactus("clocks --json " + path).output);
        CHECK(clocks.at("ranks")[1].at("refined").at("offset_ns").get<double>() == Approx(-3e6).margin(40'000));
        CHECK(run_tactus("clocks " + path).output.find("Clocks by what ranks did together") != std::string::npos);
        const json report = json::parse(run_tactus("report --json " + path).output);
        CHECK(report.at("nccl").at("clock_within_ns").get<double>() < 200'000);
    }
}

TEST_CASE("ranks of one host have one clock, whatever their dates were", "[nccl]") {
    const std::vector<Wrong> wrong = {
        {.host = "a"}, {.date_ns = 900, .host = "a"}, {.date_ns = 5e6, .host = "b"}, {.date_ns = 5.1e6, .host = "b"}};
    const TestFolder folder;
    const std::vector<NcclClock> clocks = clocks_of(made(wrong, {}), folder);
    CHECK(clocks[1].leader == 0);
    CHECK(clocks[1].worst_ns == 0);
    CHECK(clocks[3].leader == 2);
    CHECK(clocks[3].worst_ns == clocks[2].worst_ns);
    const Ticks tick = made_start + 100'000'000;
    CHECK(to_ns(clocks[1].shift.at(tick)) == Approx(-900).margin(1));
    CHECK(to_ns(clocks[3].shift.at(tick) - clocks[2].shift.at(tick)) == Approx(-1e5).margin(1));
}

TEST_CASE("ranks of one host whose operations contradict do not share a clock", "[nccl]") {
    std::vector<MadeRank> ranks = made({{}, {}, {}}, {});
    for (MadeRecord& operation : ranks[2].lanes[0].records) { // as if it had a different timer
        operation.record.enter += 40'000'000;
        operation.record.leave += 40'000'000;
    }
    const TestFolder folder;
    const std::vector<NcclClock> clocks = clocks_of(ranks, folder);
    CHECK(clocks[1].leader == 0);
    CHECK(clocks[2].leader == 2);
    CHECK(clocks[2].bounded);
    CHECK(to_ns(clocks[2].shift.at(made_start + 200'000'000)) == Approx(-4e7).margin(40'000));
}

TEST_CASE("of clocks that nothing bounds from both sides nothing is said", "[nccl]") {
    const std::vector<Wrong> wrong = {{.host = "a"}, {.date_ns = 3e6, .host = "b"}};
    const TestFolder broadcasts;
    CHECK(!clocks_of(made(wrong, {.root = 0}), broadcasts)[1].bounded);
    const TestFolder callbacks;
    const std::vector<MadeRank> ranks = made(wrong, {.flags = NcclTag::drawn | NcclTag::host_times});
    CHECK(!clocks_of(ranks, callbacks)[1].bounded);
    const std::string path = (callbacks.path() / "app.tactus").string();
    const CommandOutcome finished = run_tactus("finish " + path);
    CHECK(finished.status == 0);
    CHECK(finished.output.find("1 rank did nothing together with the first") != std::string::npos);
    CHECK(run_tactus("report " + path).output.find("1 rank by the date of their hosts") != std::string::npos);
}
