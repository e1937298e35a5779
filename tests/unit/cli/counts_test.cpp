// What the report says by counters of the processor.
#include "cli/report/counts_text.hpp"
#include "cli/report/scaling.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <cerrno>
#include <nlohmann/json.hpp>

using namespace tactus;
using nlohmann::json;

namespace {

constexpr Ticks ms = 1'000'000;

ProcessorCounts counts(double user_s, double cycles, double instructions, double misses) {
    return {.user_s = user_s,
            .cycles = cycles,
            .instructions = instructions,
            .missed_of = misses < 0 ? 0 : instructions,
            .cache_misses = misses < 0 ? 0 : misses};
}

std::string text(const ProcessorCounts& own, const ProcessorCounts& peers) {
    WaitRoot root;
    root.did.ran_s = own.user_s;
    root.did.counts = own;
    root.peers_did.ran_s = peers.user_s;
    root.peers_did.counts = peers;
    return counts_text(root);
}

// Two ranks come to a barrier after 100 and 600 ms. Each counts a thousand cycles a microsecond on a core, and
// `instructions`.
std::vector<MadeRank> late_rank(std::array<std::int64_t, 2> instructions) {
    auto ranks = made_ranks(2);
    for (std::size_t i = 0; i < 2; ++i) {
        const Ticks at = i == 0 ? 110 * ms : 610 * ms;
        const auto busy_ns = static_cast<std::int64_t>(at - 10 * ms);
        Stretch did{.length = at - 10 * ms, .ran_ns = busy_ns};
        did.counted = {busy_ns, instructions[i], instructions[i] / 1000, -1};
        ranks[i].definitions.processor_counters = {
            {.name = "cycles"}, {.name = "instructions"}, {.name = "cache_misses"}};
        MadeRecord barrier = made_call(Function::Barrier, at + ms, 612 * ms);
        barrier.record.what.comm = 1;
        ranks[i].lanes = {{.records = {made_call(Function::Init, 0, 10 * ms), made_stretch(at, did), barrier,
                                       made_call(Function::Finalize, 999 * ms, 1000 * ms)}}};
    }
    return ranks;
}

class MadeTrace {
  public:
    explicit MadeTrace(const std::vector<MadeRank>& ranks) {
        write_trace(path(), ranks);
        REQUIRE(run_tactus("finish " + path()).status == 0);
    }
    [[nodiscard]] std::string path() const { return (folder_.path() / "app.tactus").string(); }
    [[nodiscard]] std::string output(const std::string& command) const {
        const CommandOutcome outcome = run_tactus(command + " " + path());
        CHECK(outcome.status == 0);
        return outcome.output;
    }
    [[nodiscard]] json report() const { return json::parse(output("report --json")); }

  private:
    TestFolder folder_;
};

} // namespace

TEST_CASE("counts: the factor that explains most of the longer time is named") {
    const ProcessorCounts peers = counts(1, 3e9, 3e9, 3e6);
    CHECK(text(counts(2.3, 6.9e9, 6.9e9, 7e6), peers) == ", with 2.3 times the instructions of those who wait");
    CHECK(text(counts(2, 6e9, 3e9, 3e6), peers) == ", at 0.50 instructions a cycle (those who wait: 1.00)");
    CHECK(text(counts(2, 6e9, 3e9, 90e6), peers) == ", at 0.50 instructions a cycle (those who wait: 1.00) and 30.0 "
                                                    "cache misses in 1000 instructions (those who wait: 1.0)");
    CHECK(text(counts(2, 6e9, 3e9, -1), peers) == ", at 0.50 instructions a cycle (those who wait: 1.00)");
    CHECK(text(counts(2, 3e9, 3e9, 3e6), peers) == ", at 1.50 GHz (those who wait: 3.00)");
}

TEST_CASE("counts: nothing is said where it is not known, or where the time is not much longer") {
    const ProcessorCounts own = counts(2, 6e9, 6e9, 1);
    CHECK(text(own, {}).empty());
    CHECK(text({}, own).empty());
    CHECK(text(counts(2.1, 6.3e9, 6.3e9, 1), own).empty());
    CHECK(text(own, counts(0.01, 3e7, 3e7, 1)).empty());                         // too little to compare with
    CHECK(text(counts(1.25, 3.5e9, 3.24e9, 1), counts(1, 3e9, 3e9, 1)).empty()); // each explains a third of it
    WaitRoot root;
    root.did = {.ran_s = 4, .counts = own}; // counted for a half of the time only
    root.peers_did = {.ran_s = 1, .counts = counts(1, 3e9, 3e9, 1)};
    CHECK(counts_text(root).empty());
    root.did.system_s = 2; // the other half was in the kernel
    CHECK_FALSE(counts_text(root).empty());
    root.peers_did.ran_s = 2; // and of the peers a half
    CHECK(counts_text(root).empty());
}

TEST_CASE("counts: a frequency is not named where much of the time was in the kernel, which is counted by ticks") {
    WaitRoot root;
    root.did = {.ran_s = 2, .counts = counts(2, 3e9, 3e9, 1)};
    root.peers_did = {.ran_s = 1, .counts = counts(1, 3e9, 3e9, 1)};
    CHECK(counts_text(root) == ", at 1.50 GHz (those who wait: 3.00)");
    root.did.ran_s = 4;
    root.did.system_s = 2;
    CHECK(counts_text(root).empty());
}

TEST_CASE("counts: the cause of a wait has them, and so has each rank") {
    const MadeTrace trace{late_rank({100'000'000, 600'000'000})};
    const json report = trace.report();
    CHECK_THAT(report["sentences"]["root"].get<std::string>(),
               Contains("rank 1, computing before MPI_Barrier") &&
                   Contains(", with 6.6 times the instructions of those who wait: "));
    CHECK(report["ranks"][1]["counts"]["instructions"].get<double>() == Approx(5.9e8));
    CHECK(report["ranks"][1]["counts"]["hertz"].get<double>() == Approx(1e9));
    CHECK(report["ranks"][0]["counts"]["cache_misses_per_1000_instructions"].get<double>() == Approx(1));
    CHECK_THAT(trace.output("report"), Contains("Counters of the processor outside MPI") && Contains("6.56"));
}

TEST_CASE("counts: a trace without counters says so, and why") {
    auto ranks = late_rank({1, 1});
    for (MadeRank& rank : ranks) rank.definitions.processor_counters.clear();
    const MadeTrace plain{ranks};
    CHECK(plain.report()["ranks"][0]["counts"].is_null());
    CHECK_THAT(plain.output("report"), Contains("none (VT_COUNTER did not ask for cycles and instructions)"));
    for (MadeRank& rank : ranks) rank.definitions.processor_counters = {{.name = "cycles", .refused = ENOENT}};
    const MadeTrace refused{ranks};
    CHECK_THAT(refused.output("report"),
               Contains("cycles cannot be counted on") && Contains("No such file or directory"));
    CHECK_THAT(refused.output("info"), Contains("cycles (refused on 2 ranks: No such file or directory)"));
}

TEST_CASE("scaling: instructions, instructions a cycle and frequency explain the scaling of computation") {
    std::vector<ScaledRun> runs = {
        {.trace = "a", .ranks = 2, .wall_s = 10, .computed_s = 16, .counts = counts(16, 32e9, 64e9, 0)},
        {.trace = "b", .ranks = 4, .wall_s = 6, .computed_s = 20, .counts = counts(20, 50e9, 80e9, 0)},
        {.trace = "c", .ranks = 8, .wall_s = 3, .computed_s = 10}};
    find_scaling(runs, false);
    REQUIRE(runs[1].factors);
    CHECK(runs[1].factors->instructions == Approx(64.0 / 80));
    CHECK(runs[1].factors->ipc == Approx(1.6 / 2.0));
    CHECK(runs[1].factors->frequency == Approx(2.5 / 2.0));
    CHECK(runs[1].factors->instructions * runs[1].factors->ipc * runs[1].factors->frequency ==
          Approx(*runs[1].computation));
    CHECK_FALSE(runs[2].factors);
    find_scaling(runs, true); // twice the ranks have twice the work
    CHECK(runs[1].factors->instructions == Approx(2 * 64.0 / 80));
    CHECK(runs[1].factors->ipc == Approx(1.6 / 2.0));
    const json list = scaling_json(runs);
    CHECK(list[1]["frequency_scaling"].get<double>() == Approx(1.25));
    CHECK(list[2]["frequency_scaling"].is_null());
}
