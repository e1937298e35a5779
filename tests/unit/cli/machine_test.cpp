// What the report says of the machine: processes that took the cores of ranks, and memory that was read back.
#include "base/os_facts.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <cerrno>
#include <nlohmann/json.hpp>

using namespace tactus;
using nlohmann::json;

namespace {

constexpr Ticks ms = 1'000'000;
constexpr std::int64_t second_ns = 1'000'000'000;

// Two ranks of a second on two cores. `busy_ns` is what all processes used of each core, `own_ns` what each rank did.
// While they could run, they had no core for 40 % of the time.
std::vector<MadeRank> two_ranks(std::vector<std::int64_t> busy_ns, std::int64_t own_ns = 600 * ms) {
    auto ranks = made_ranks(2);
    for (MadeRank& rank : ranks) {
        rank.lanes = {{.records = {made_call(Function::Init, 0, 10 * ms),
                                   made_stretch(999 * ms, {.length = 900 * ms, .ran_ns = 100 * ms}),
                                   made_call(Function::Finalize, 999 * ms, 1000 * ms)}}};
        OsReading first;
        first.user_ns = first.system_ns = 0;
        first.cpus = {2, 3};
        first.busy_ns = {7 * second_ns, 9 * second_ns};
        first.swapped_in = 5000;
        first.threads = {{7, 0, 0}};
        OsReading last = first;
        last.monotonic_ns = second_ns;
        last.user_ns = own_ns - 50 * ms;
        last.system_ns = 50 * ms;
        for (std::size_t i = 0; i < busy_ns.size(); ++i) last.busy_ns[i] += busy_ns[i];
        last.threads = {{7, 600 * ms, 400 * ms}};
        rank.definitions.os_readings = {first, last};
    }
    return ranks;
}

json report_of(const std::vector<MadeRank>& ranks, bool whole = true) {
    const TestFolder folder;
    const std::string trace = (folder.path() / "app.tactus").string();
    write_trace(trace, ranks);
    if (whole) REQUIRE(run_tactus("finish " + trace).status == 0);
    const CommandOutcome outcome = run_tactus("report --json " + trace);
    if (whole) REQUIRE(outcome.status == 0);
    return json::parse(outcome.output);
}

std::string cores(const std::vector<MadeRank>& ranks) { return report_of(ranks)["sentences"]["cores"]; }

} // namespace

TEST_CASE("machine: processes that are no ranks took the cores") {
    const json report = report_of(two_ranks({990 * ms, 990 * ms}));
    CHECK_THAT(report["sentences"]["cores"].get<std::string>(),
               Contains("processes other than these ranks were on the 2 cores of") && Contains("for 780.000 ms"));
    CHECK(report["cores"]["hosts"][0]["others_s"].get<double>() == Approx(0.78));
}

TEST_CASE("machine: what the ranks used themselves is no other process, and what is not known is none") {
    CHECK_THAT(cores(two_ranks({620 * ms, 600 * ms})), Contains("the system does not show why"));
    CHECK_THAT(cores(two_ranks({990 * ms, 990 * ms}, 980 * ms)), Contains("the system does not show why"));
    auto ranks = two_ranks({990 * ms, 990 * ms});
    for (MadeRank& rank : ranks) rank.definitions.os_readings.front().busy_ns[1] = -1; // of one core nothing is known
    CHECK_THAT(cores(ranks), Contains("the system does not show why"));
    CHECK_THAT(cores(two_ranks({990 * ms, 700 * ms}, 300 * ms)),
               Contains("the system does not show why")); // one was free
    ranks = two_ranks({990 * ms, 990 * ms});
    for (MadeRank& rank : ranks) rank.header.ranks = 3; // what the third did is not known
    CHECK_THAT(report_of(ranks, false)["sentences"]["cores"].get<std::string>(),
               Contains("the system does not show why"));
    ranks = two_ranks({990 * ms, 990 * ms});
    for (MadeRank& rank : ranks)
        for (OsReading& reading : rank.definitions.os_readings) reading.busy_ns.clear(); // as older traces have it
    CHECK_THAT(cores(ranks), Contains("the system does not show why"));
}

TEST_CASE("machine: memory had to be read back from a disk, by a rank and its host") {
    const auto memory = [](std::uint64_t major_faults, std::int64_t swapped_in) {
        auto ranks = two_ranks({});
        ranks[1].lanes[0].records[1] =
            made_stretch(999 * ms, {.length = 900 * ms, .ran_ns = 100 * ms, .major_faults = major_faults});
        for (MadeRank& rank : ranks) rank.definitions.os_readings.back().swapped_in += swapped_in;
        return report_of(ranks)["sentences"]["memory"].get<std::string>();
    };
    CHECK_THAT(memory(3400, 12'000), Contains("3 400 page faults of rank 1 read from a disk, and its host") &&
                                         Contains("read 12 000 pages back from swap space"));
    CHECK(memory(3400, 0).empty());    // it read files
    CHECK(memory(0, 12'000).empty());  // others had to
    CHECK(memory(90, 12'000).empty()); // less than 1 % of its time
}

TEST_CASE("machine: what could not be known is said, with the reason") {
    const auto not_known = [](const Sampling& sampling) {
        auto ranks = two_ranks({});
        ranks[0].definitions.sampling = {{.period_ns = 10'000'000}};
        ranks[1].definitions.sampling = {sampling};
        return report_of(ranks)["sentences"]["not_known"].get<std::string>();
    };
    CHECK(not_known({.period_ns = 10'000'000, .python = 1}).empty());
    CHECK(not_known({.calls = 5}) == "in which functions 1 rank computed (there were no samples: VT_SAMPLING)");
    CHECK(not_known({.period_ns = 10'000'000, .refused = EACCES, .python = 2}) ==
          "in which functions 1 rank computed (the kernel refused to sample threads: Permission denied); functions of "
          "Python on 1 rank (tactus does not know this version of the interpreter)");
    CHECK(not_known({.period_ns = 10'000'000, .stacks_refused = EPERM}) ==
          "which functions called others on 1 rank (the kernel refused to copy stacks: Operation not permitted)");
    auto ranks = two_ranks({});
    ranks[1].definitions.os_readings.back().threads.clear();
    CHECK_THAT(report_of(ranks)["sentences"]["not_known"].get<std::string>(),
               Contains("whether 1 rank had cores (the system does not tell it"));
}
