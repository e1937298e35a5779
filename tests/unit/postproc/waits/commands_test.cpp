// What the commands and the efficiencies say of runs whose waits are known.
#include "postproc/waits/run_waits.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "tests/unit/postproc/waits/made_by_hand.hpp"

#include <filesystem>

using namespace tactus;

TEST_CASE("other networks take as long as their latency and bandwidth say", "[waits]") {
    const TestFolder folder;
    const std::string path = chain(folder);
    REQUIRE(run_tactus("finish " + path).status == 0);
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    const auto time_on = [&](Network network) {
        return *waits_of(*trace, {.wanted = true, .network = network})->network_s;
    };
    // The message is sent at 60 us. Rank 1 gets it and computes 9.5 us more; rank 2 gets it and computes 19.5 us more.
    CHECK(time_on({}) == Approx(89e-6));
    CHECK(time_on({.latency_s = 5e-6}) == Approx(99e-6));
    CHECK(time_on({.latency_s = 0, .seconds_per_byte = 1e-9}) == Approx(89e-6 + 1008e-9));
    CHECK(time_on({.latency_s = 1e-3, .seconds_per_byte = 0}) == Approx(89e-6 + 2e-3));
    CHECK(run_tactus("report " + path + " --latency 5us").output.find("would take 99.000 us instead of 90.000 us") !=
          std::string::npos);
    CHECK(run_tactus("report " + path + " --bandwidth 1GB").output.find("would take 90.008 us") != std::string::npos);
    for (const char* wrong : {"--latency 5", "--latency -1us", "--latency much", "--bandwidth 0GB", "--bandwidth 10"})
        CHECK(run_tactus("report " + path + " " + wrong).status == 2);
}

TEST_CASE("diff says what changed, and whether it is too much", "[waits]") {
    const TestFolder first;
    const TestFolder other;
    const std::string before = late_sender(first); // 100 us
    const std::string after = chain(other);        // 90 us, three ranks
    REQUIRE(run_tactus("finish " + before).status == 0);
    REQUIRE(run_tactus("finish " + after).status == 0);
    const CommandOutcome text = run_tactus("diff " + before + " " + after);
    CHECK(text.status == 0);
    CHECK(text.output.find("2 ranks") != std::string::npos);
    CHECK(text.output.find("3 ranks") != std::string::npos);
    CHECK(text.output.find("B is 10.0 % faster (") != std::string::npos);
    CHECK(text.output.find("late sender in MPI_Recv") != std::string::npos);
    const CommandOutcome same = run_tactus("diff --threshold 0% " + before + " " + before);
    CHECK(same.status == 0);
    CHECK(same.output.find("; ok: +0.0 %, limit +0.0 %") != std::string::npos);
    CHECK(run_tactus("diff --threshold 5% " + before + " " + after).status == 0);
    CHECK(run_tactus("diff --threshold 12% " + after + " " + before).status == 0);
    CHECK(run_tactus("diff --threshold 10% " + after + " " + before).status == 3);
    const CommandOutcome json = run_tactus("diff --json " + before + " " + after);
    CHECK(json.output.find("\"growth\": -0.") != std::string::npos);
    CHECK(json.output.find("\"difference_s_per_rank\"") != std::string::npos);
    const CommandOutcome three = run_tactus("diff " + before + " " + after + " " + before);
    CHECK(three.status == 0);
    CHECK(three.output.find("Scaling") != std::string::npos);
    CHECK(three.output.find("Functions") == std::string::npos);
    CHECK(run_tactus("diff --json " + before + " " + after + " " + after).output.find("\"global_efficiency\"") !=
          std::string::npos);
    CHECK(run_tactus("diff --threshold 1% " + before + " " + after + " " + after).status == 2);
    CHECK(run_tactus("diff " + before).status == 2);
    CHECK(run_tactus("diff " + before + " /nowhere.tactus").status == 1);
}

TEST_CASE("efficiency is not guessed where calls are missing", "[waits]") {
    const TestFolder folder;
    const std::string path = chain(folder);
    REQUIRE(run_tactus("finish " + path).status == 0);
    REQUIRE(std::filesystem::remove(path + "/" + rank_file_name(0)));
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    const auto waits = waits_of(*trace, {.wanted = true, .network = Network{}});
    REQUIRE(waits);
    CHECK_FALSE(waits->efficiency);
    CHECK_FALSE(waits->network_s);
    CHECK(waits->waited_share() < 1);
    // The third rank may come later.
    for (const WaitGroup& group : waits->groups) CHECK(group.kind != WaitKind::finalize);
    CHECK(waits->no_efficiency == "ranks are missing");
}

TEST_CASE("check keeps to its limits, once the trace is finished", "[waits]") {
    const TestFolder folder;
    const std::string path = late_sender(folder);
    const CommandOutcome before = run_tactus("check " + path + " --max-wait 10%");
    CHECK(before.status == 1);
    CHECK(before.errors.find("`tactus finish` finds them") != std::string::npos);
    REQUIRE(run_tactus("finish " + path).status == 0);
    const CommandOutcome within = run_tactus("check " + path + " --max-wait 31% --min-efficiency 0.65");
    CHECK(within.status == 0);
    INFO(within.output);
    CHECK(within.output.find("ok   waiting 29.9 % of the time of all ranks, limit 31.0 %; 29.9 % of time") !=
          std::string::npos);
    CHECK(within.output.find("lost waiting in MPI_Recv on rank 0, for rank 1, which sends late (MPI_Send)") !=
          std::string::npos);
    const CommandOutcome beyond = run_tactus("check " + path + " --max-wait 0.29 --min-efficiency 90%");
    CHECK(beyond.status == 3);
    CHECK(beyond.output.find("FAIL waiting") != std::string::npos);
    CHECK(beyond.output.find("FAIL efficiency") != std::string::npos);
    for (const char* wrong : {"", "--max-wait 90", "--max-wait -1%", "--max-wait many", "--min-efficiency 1e"})
        CHECK(run_tactus("check " + path + " " + wrong).status == 2);
}

TEST_CASE("efficiencies are those of the run on an ideal network", "[waits]") {
    const TestFolder folder;
    const std::string path = late_sender(folder);
    REQUIRE(run_tactus("finish " + path).status == 0);
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    const auto waits = waits_of(*trace, {});
    REQUIRE(waits);
    REQUIRE(waits->efficiency);
    // Of 100 us, rank 0 computes 10 and 29.5, and rank 1 computes 70 and 29.6. On an ideal network rank 0 gets the
    // message at 70 us.
    CHECK(waits->efficiency->load_balance == Approx((39.5 + 99.6) / 2 / 99.6));
    CHECK(waits->efficiency->serialization == Approx(99.6 / 99.6));
    CHECK(waits->efficiency->transfer == Approx(99.6 / 100));
    CHECK(waits->ranks[0].waited_s == Approx(60e-6));
    CHECK(waits->ranks[1].caused_s == Approx(60e-6));
}
