// What the report finds in made runs: the largest part of the time that is not the application's.
#include "base/os_facts.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "trace/sample.hpp"

#include <nlohmann/json.hpp>
#include <tuple>

using namespace tactus;
using nlohmann::json;

namespace {

constexpr Ticks ms = 1'000'000;

// What `tactus report` prints of a run whose lanes begin with MPI_Init and end with MPI_Finalize.
std::string report_text_of(const std::vector<MadeRank>& ranks, const char* option) {
    const TestFolder folder;
    const std::string trace = (folder.path() / "app.tactus").string();
    write_trace(trace, ranks);
    REQUIRE(run_tactus("finish " + trace).status == 0);
    const CommandOutcome outcome = run_tactus("report " + trace + option);
    REQUIRE(outcome.status == 0);
    return outcome.output;
}
json report_of(const std::vector<MadeRank>& ranks) { return json::parse(report_text_of(ranks, " --json")); }

// Ranks that start and end together after a second, with calls in between.
std::vector<MadeRank> ranks_with(std::uint32_t count, const std::vector<MadeRecord>& calls, Ticks init = 10 * ms) {
    auto ranks = made_ranks(count);
    for (MadeRank& rank : ranks) {
        std::vector<MadeRecord> records = {made_call(Function::Init, 0, init)};
        records.insert(records.end(), calls.begin(), calls.end());
        records.push_back(made_call(Function::Finalize, 999 * ms, 1000 * ms));
        rank.lanes = {{.records = records}};
    }
    return ranks;
}
std::vector<MadeRank> two_ranks(const std::vector<MadeRecord>& calls, Ticks init = 10 * ms) {
    return ranks_with(2, calls, init);
}

std::string finding(const json& report) { return report["sentences"]["finding"]; }

void check_sum(const json& report) {
    double sum = 0;
    for (const auto& [name, seconds] : report["time"].items())
        if (name != "total_s") sum += seconds.get<double>();
    CHECK(sum == Approx(report["time"]["total_s"].get<double>()));
    CHECK(report["time"]["total_s"].get<double>() == Approx(report["total_s"].get<double>()));
}

} // namespace

TEST_CASE("finding: a run that computes has none") {
    const json report = report_of(two_ranks({}));
    check_sum(report);
    CHECK_THAT(finding(report), Contains("no waiting above 1.0 %"));
    CHECK(report["time"]["application_s"].get<double>() == Approx(2 * 0.989).epsilon(0.001));
}

TEST_CASE("finding: many calls that cost by themselves") {
    std::vector<MadeRecord> calls;
    for (Ticks at = 20; at < 920; ++at) calls.push_back(made_call(Function::Comm_rank, at * ms, at * ms + ms / 2));
    const json report = report_of(two_ranks(calls));
    check_sum(report);
    CHECK_THAT(finding(report), Contains("of time") && Contains("in MPI without waiting") &&
                                    Contains("in MPI_Comm_rank: ") && Contains("1 800 calls, 500.000 us each"));
}

TEST_CASE("finding: MPI without waiting, beside a longer start of a short run") {
    const json report = report_of(two_ranks({made_call(Function::Comm_split, 500 * ms, 700 * ms)}, 300 * ms));
    check_sum(report);
    CHECK(report["time"]["start_and_end_s"] > report["time"]["mpi_without_waiting_s"]);
    CHECK_THAT(finding(report), Contains("in MPI without waiting") && Contains("in MPI_Comm_split: 2 calls"));
}

TEST_CASE("finding: functions for files") {
    const json report = report_of(two_ranks({made_call(Function::File_sync, 100 * ms, 700 * ms)}));
    check_sum(report);
    CHECK(report["time"]["io_s"].get<double>() == Approx(1.2));
    CHECK_THAT(finding(report), Contains("in functions for files") && Contains("MPI_File_sync"));
}

TEST_CASE("finding: a rank that starts late, and a start that just takes long") {
    auto ranks = two_ranks({}, 600 * ms);
    CHECK_THAT(finding(report_of(ranks)), Contains("in starting and ending MPI, nearly all of it in MPI_Init"));
    CHECK_THAT(finding(report_of(two_ranks({}, 300 * ms))), Contains("no waiting")); // as every short run
    const json of_sessions =
        report_of(two_ranks({made_call(Function::Comm_create_from_group, 500 * ms, 900 * ms)}, 300 * ms));
    CHECK_THAT(finding(of_sessions), Contains("in starting and ending MPI"));
    ranks = two_ranks({}, 300 * ms);
    ranks[1].lanes[0].records[0] = made_call(Function::Init, 290 * ms, 300 * ms);
    const json report = report_of(ranks);
    check_sum(report);
    CHECK_THAT(finding(report), Contains("in starting and ending MPI: rank 1 started 290.000 ms after rank 0"));

    // A rank of which only the start is recorded has a short time, too.
    Totals& totals = ranks[1].definitions.totals.front();
    totals.ending = Ending::abort;
    CHECK_THAT(finding(report_of(ranks)), !Contains("started"));
    totals.ending = Ending::finalize;
    totals.lost[static_cast<std::size_t>(Loss::switched_off)] = 1;
    CHECK_THAT(finding(report_of(ranks)), !Contains("started"));
}

TEST_CASE("finding: threads without a core, where the system shows why") {
    auto ranks = two_ranks({});
    for (MadeRank& rank : ranks) {
        OsReading first;
        first.cpus = {5};
        first.threads = {{7, 0, 0}};
        OsReading last = first;
        last.monotonic_ns = 1000 * ms;
        last.threads = {{7, 500 * ms, 500 * ms}};
        rank.definitions.os_readings = {first, last};
    }
    json report = report_of(ranks);
    CHECK_THAT(finding(report), Contains("for 50.0 % of the time in which threads could run they had no core: ranks 0, "
                                         "1 of") &&
                                    Contains("may run on core 5 only"));
    CHECK(report["cores"]["hosts"][0]["oversubscribed"] == true);
    for (MadeRank& rank : ranks) rank.definitions.os_readings.back().cpus = {5, 6};
    report = report_of(ranks); // two ranks and two cores: somebody else was there, of whom nothing is known
    CHECK_THAT(finding(report), Contains("no waiting above 1.0 %"));
    CHECK_THAT(report["sentences"]["cores"].get<std::string>(), Contains("the system does not show why"));
}

namespace {

// Rank 1 comes half a second late to a barrier. `did` is what the system counted for it in that time.
json late_rank(const Stretch& did, const std::vector<OsReading>& readings = {}) {
    auto ranks = two_ranks({});
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        auto& records = ranks[i].lanes[0].records;
        if (i == 1) records.insert(records.end() - 1, made_stretch(610 * ms, did));
        MadeRecord barrier = made_call(Function::Barrier, i == 1 ? 611 * ms : 110 * ms, 612 * ms);
        barrier.record.what.comm = 1;
        records.insert(records.end() - 1, barrier);
        ranks[i].definitions.os_readings = readings;
    }
    const json report = report_of(ranks);
    check_sum(report);
    CHECK_THAT(finding(report), Contains("lost waiting in MPI_Barrier") && Contains("for rank 1, which comes last"));
    return report;
}

std::string root(const json& report) { return report["sentences"]["root"]; }

Stretch half_second(std::int64_t ran_ms, std::int64_t waited_ms = 0) {
    constexpr std::int64_t ns = 1'000'000;
    return {.length = 600 * ms, .ran_ns = ran_ms * ns, .waited_ns = waited_ms * ns};
}

} // namespace

TEST_CASE("finding: what the late rank did") {
    CHECK_THAT(root(late_rank(half_second(600))), StartsWith("rank 1, computing before MPI_Barrier"));
    const json asleep = late_rank(half_second(60));
    CHECK_THAT(root(asleep), StartsWith("rank 1, asleep outside MPI before MPI_Barrier"));
    CHECK(asleep["time"]["asleep_s"].get<double>() == Approx(0.54 * 590 / 600));
    CHECK_THAT(root(late_rank(half_second(300, 220))),
               StartsWith("rank 1, computing before MPI_Barrier") && Contains("36.7 % of that without a core"));
    const json no_core = late_rank(half_second(200, 390));
    CHECK_THAT(root(no_core), StartsWith("rank 1, without a core before MPI_Barrier"));
    CHECK(no_core["time"]["without_core_s"].get<double>() == Approx(0.39 * 590 / 600));
    CHECK(no_core["wait_roots"][0]["did"]["without_core_s"].get<double>() /
              no_core["wait_roots"][0]["seconds"].get<double>() ==
          Approx(390.0 / 600));
    Stretch faulting = half_second(580);
    faulting.system_ns = 420'000'000;
    faulting.minor_faults = 1'000'000;
    CHECK_THAT(root(late_rank(faulting)), Contains("70.0 % of that in the kernel (the rank had 983 333 page faults)"));
}

namespace {

constexpr std::int32_t on_core = sampled::on_core;

// The late rank of late_rank(), with samples of its thread: `first` in one function of its program, `second` in
// another, all below main and above a function of the C library. They are blocked in a system call or on a core.
// `others`: samples of the other rank, all in the first function.
json sampled_rank(std::size_t first, std::size_t second, std::int32_t call, std::int64_t ran_ms,
                  const std::string& file = {}, std::size_t others = 0) {
    auto ranks = two_ranks({});
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].definitions.modules = {{0x1000, 0x2000, 0x1000, "/no/such/app", "ab"},
                                        {0x3000, 0x4000, 0x3000, "/lib/libc.so.6", "cd"},
                                        {0x5000, 0x6000, 0x5000, "/lib/libmpich.so.12", "ef"}};
        auto& records = ranks[i].lanes[0].records;
        if (i == 1) records.insert(records.end() - 1, made_stretch(610 * ms, half_second(ran_ms)));
        MadeRecord barrier = made_call(Function::Barrier, i == 1 ? 611 * ms : 110 * ms, 612 * ms);
        barrier.record.what.comm = 1;
        records.insert(records.end() - 1, barrier);
    }
    // main, two functions that it calls, a function of libc in each, and one of the MPI that calls back into the
    // program
    std::vector<MadeRecord> seen = {made_path(1, 1, 0, 0x1010), made_path(1, 2, 1, 0x1020), made_path(1, 3, 1, 0x1030)};
    constexpr std::uint64_t in_libc = 0x3010;
    constexpr std::uint64_t in_mpi = 0x5010;
    const std::size_t all = first + second;
    for (std::size_t i = 0; i < all; ++i) {
        const Ticks at = 120 * ms + (480 * ms * i) / all;
        seen.push_back(made_sample(at, 0, in_libc, i < first ? 2 : 3, call, file));
        seen.push_back(made_sample(at + 1, 0, in_mpi, 1, call));  // which says nothing of the program
        seen.push_back(made_sample(at + 2, 7, in_libc, 3, call)); // of another thread
    }
    ranks[1].lanes.push_back({.number = sampled::lane, .records = seen});
    std::vector<MadeRecord> before = {made_path(1, 1, 0, 0x1010), made_path(1, 2, 1, 0x1020)};
    for (std::size_t i = 0; i < others; ++i) before.push_back(made_sample((20 + i) * ms, 0, in_libc, 2, call));
    ranks[0].lanes.push_back({.number = sampled::lane, .records = before});
    const json report = report_of(ranks);
    check_sum(report);
    return report;
}

} // namespace

TEST_CASE("finding: who made calls, by samples of them") {
    auto ranks = two_ranks({made_call(Function::Barrier, 100 * ms, 900 * ms)});
    for (MadeRank& rank : ranks) {
        rank.definitions.modules = {{0x1000, 0x2000, 0x1000, "/no/such/app", "ab"}};
        std::vector<MadeRecord> seen = {made_path(1, 1, 0, 0x1010), made_path(1, 2, 1, 0x1020)};
        for (const auto& [at, path, moment, stands_for] : {std::tuple{300, 2, sampled::call_ends, 200},
                                                           {500, 2, sampled::call_ends, 100},
                                                           {600, 1, sampled::call_ends, 100},
                                                           {700, 1, sampled::call_begins, 500}}) {
            MadeRecord sample =
                made_sample(static_cast<Ticks>(at) * ms, 0, 0x1100, static_cast<std::uint32_t>(path), moment);
            sample.record.what.bytes = static_cast<Ticks>(stands_for) * ms;
            seen.push_back(sample);
        }
        rank.lanes.push_back({.number = sampled::lane, .records = seen});
    }
    const json report = report_of(ranks);
    const json& paths = report["call_paths"];
    REQUIRE(paths.size() == 2);
    CHECK(paths[0]["text"] == "app+0x100");
    CHECK(paths[0]["callers"].size() == 2);
    CHECK(paths[0]["callers"][0]["text"] == "app+0x20");
    CHECK(paths[0]["samples"] == 4);
    CHECK(paths[0]["inside_s"].get<double>() == Approx(0.6));
    CHECK(paths[1]["callers"].size() == 1);
    CHECK(paths[1]["inside_s"].get<double>() == Approx(0.2));
    CHECK(report["sampled_functions"].empty()); // these are in MPI
}

// Rank 1 is late. It was in a function of a Python program and in one of a library of Python that this calls.
TEST_CASE("finding: functions of a program that an interpreter runs") {
    auto ranks = two_ranks({});
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].definitions.modules = {{0x1000, 0x2000, 0x1000, "/usr/lib/python3/dist-packages/mpi4py/MPI.so", "ab"}};
        auto& records = ranks[i].lanes[0].records;
        if (i == 1) records.insert(records.end() - 1, made_stretch(610 * ms, half_second(600)));
        MadeRecord barrier = made_call(Function::Barrier, i == 1 ? 611 * ms : 110 * ms, 612 * ms);
        barrier.record.what.comm = 1;
        barrier.record.what.place = 0x1100;
        records.insert(records.end() - 1, barrier);
    }
    std::vector<MadeRecord> seen;
    const auto define = [&](std::uint64_t number, std::int32_t line, const std::string& function,
                            const std::string& file, std::uint32_t path, std::uint64_t callers) {
        seen.push_back(made_script(1, number, line, function, file));
        seen.push_back(made_path(1, path, callers, sampled::script_places | number));
    };
    define(1, 40, "<module>", "/home/me/solve.py", 1, 0);
    define(2, 12, "Mesh.refine", "/home/me/libmpi.py", 2, 1); // a name that a library could have
    define(3, 7, "dot", "/opt/lib/python3.11/site-packages/numpy/linalg.py", 3, 2);
    seen.push_back(made_script(1, 2, 1, "", "/home/me/solve.py")); // damaged ones change nothing
    seen.push_back(made_script(1, 2, -1, "f", "/home/me/solve.py"));
    seen.push_back(made_script(1, 2, 1, "f", ""));
    for (Ticks i = 0; i < 20; ++i)
        seen.push_back(
            made_sample((120 + 20 * i) * ms, 0, sampled::script_places | 3, 2, sampled::in_python)); // dot in refine
    for (Ticks i = 0; i < 10; ++i) {
        MadeRecord call = made_sample((520 + 5 * i) * ms, 0, 0x1100, 1, sampled::call_begins);
        call.record.what.bytes = 5 * ms;
        seen.push_back(call);
    }
    ranks[1].lanes.push_back({.number = sampled::lane, .records = seen});
    const json report = report_of(ranks);
    check_sum(report);
    CHECK_THAT(root(report), StartsWith("rank 1, computing in Mesh.refine (libmpi.py:12) before MPI_Barrier, called by "
                                        "<module> (solve.py:40):"));
    REQUIRE(report["sampled_functions"].size() == 1);
    CHECK(report["sampled_functions"][0]["samples_on_core"] == 20);
}

TEST_CASE("finding: the function in which the late rank was, by samples") {
    CHECK_THAT(root(sampled_rank(50, 0, on_core, 600)), StartsWith("rank 1, computing in app+0x20 before MPI_Barrier"));
    CHECK_THAT(root(sampled_rank(40, 10, on_core, 600)),
               StartsWith("rank 1, computing in app+0x20 for 80.0 % of that (between 67 and 89) before MPI_Barrier"));
    CHECK_THAT(root(sampled_rank(26, 24, on_core, 600)), StartsWith("rank 1, computing before MPI_Barrier"));
    CHECK_THAT(root(sampled_rank(5, 0, on_core, 600)), StartsWith("rank 1, computing before")); // too few
    // Samples on a core do not say where it slept.
    CHECK_THAT(root(sampled_rank(50, 0, on_core, 60)), StartsWith("rank 1, asleep outside MPI before MPI_Barrier"));
    CHECK_THAT(root(sampled_rank(50, 0, 0, 60, "mesh.h5")),
               StartsWith("rank 1, asleep outside MPI in read of mesh.h5 (app+0x20) before MPI_Barrier"));
    // What the other rank did as well is no reason to be late.
    CHECK_THAT(
        root(sampled_rank(40, 40, on_core, 600, {}, 30)),
        StartsWith("rank 1, computing in app+0x30 for 80.0 % of what it did more than others (between 60 and 91) "
                   "before MPI_Barrier"));
    CHECK_THAT(root(sampled_rank(0, 0, on_core, 600, {}, 10)), StartsWith("rank 1, computing before MPI_Barrier"));
    CHECK_THAT(root(sampled_rank(40, 40, on_core, 600, {}, 2)), StartsWith("rank 1, computing before MPI_Barrier"));
    const json report = sampled_rank(40, 10, on_core, 600);
    const json& sampled = report["wait_roots"][0]["sampled"];
    REQUIRE(sampled.size() == 2);
    CHECK(sampled[0]["samples"] == 40);
    CHECK(sampled[0]["seconds"].get<double>() == Approx(0.8 * 0.501).epsilon(0.01));
    CHECK(report["sampled_functions"].size() == 2);
    CHECK(report["sampled_functions"][0]["samples_on_core"] == 60); // both threads
    CHECK(report["ranks"][1]["threads"] == 1);                      // the tracer's lane is no thread
}

TEST_CASE("finding: it is not known what the late rank did") {
    CHECK_THAT(root(late_rank({.length = 600 * ms, .ran_ns = 100})), StartsWith("rank 1, busy before MPI_Barrier"));
    CHECK_THAT(root(late_rank({})), StartsWith("rank 1, busy before MPI_Barrier")); // no such record
}

TEST_CASE("finding: the rank that is waited for has no core, and the system shows why") {
    OsReading first;
    first.cpus = {5};
    first.threads = {{7, 0, 0}};
    OsReading last = first;
    last.monotonic_ns = 1000 * ms;
    last.threads = {{7, 600 * ms, 390 * ms}};
    CHECK_THAT(finding(late_rank(half_second(200, 390), {first, last})),
               Contains("ranks 0, 1 of") && Contains("may run on core 5 only; because of that, ") &&
                   Contains("lost waiting in MPI_Barrier"));
    CHECK_THAT(finding(late_rank(half_second(600), {first, last})), !Contains("core 5"));
}

TEST_CASE("finding: a thread that is asleep alone, and one whose program works in other threads") {
    auto ranks = two_ranks({});
    OsReading first;
    first.cpus = {5, 6};
    first.threads = {{7, 0, 0}};
    OsReading last = first;
    last.monotonic_ns = 1000 * ms;
    for (MadeRank& rank : ranks) {
        rank.definitions.os_readings = {first, last};
        auto& records = rank.lanes[0].records;
        records.insert(records.end() - 1, made_stretch(998 * ms, {.length = 900 * ms, .ran_ns = 1000, .waited_ns = 0}));
    }
    CHECK_THAT(finding(report_of(ranks)), Contains("% of time") && Contains("asleep outside MPI, half of it on rank"));
    for (MadeRank& rank : ranks) rank.definitions.os_readings.back().threads.push_back({8, 900 * ms, 0});
    CHECK_THAT(finding(report_of(ranks)), Contains("no waiting above 1.0 %"));
}

namespace {

// Rank 1 polls for a message that rank 0 sends after half a second: `tests` unsuccessful probes, in MPI for `inside`.
// Or it calls another function so often.
json polling_rank(std::uint64_t tests, Ticks inside, const std::vector<MadeRecord>& more = {},
                  Function function = Function::Iprobe) {
    auto ranks = two_ranks({});
    auto& sender = ranks[0].lanes[0].records;
    sender.insert(sender.end() - 1, made_message(Function::Send, 610 * ms, 611 * ms, 1, 3, 8));
    auto& poller = ranks[1].lanes[0].records;
    MadeRecord misses = made_message(function, 100 * ms, 611 * ms - 10000, 0, 3, inside);
    misses.record.request = tests;
    misses.record.what.flags = flag::repeated;
    std::vector<MadeRecord> records = {misses};
    records.insert(records.end(), more.begin(), more.end());
    records.push_back(made_message(Function::Iprobe, 611 * ms, 611 * ms + 1000, 0, 3, 8));
    records.push_back(made_message(Function::Recv, 611 * ms + 2000, 611 * ms + 4000, 0, 3, 8));
    poller.insert(poller.end() - 1, records.begin(), records.end());
    const json report = report_of(ranks);
    check_sum(report);
    return report;
}

} // namespace

TEST_CASE("finding: polling is waiting, for the sender") {
    const json dense = polling_rank(1'000'000, 400 * ms);
    CHECK_THAT(finding(dense), Contains("lost waiting in MPI_Iprobe") && Contains("for rank 0, which sends late"));
    CHECK(dense["time"]["waiting_s"].get<double>() == Approx(0.51).epsilon(0.01));
    CHECK_THAT(root(dense), StartsWith("rank 0, busy before MPI_Send"));
}

TEST_CASE("finding: a rank that calls a local function all the time does not wait") {
    const json report = polling_rank(1'000'000, 400 * ms, {}, Function::Type_size);
    CHECK_THAT(finding(report), !Contains("waiting in") && !Contains("rank 0, which sends late"));
    CHECK(report["time"]["waiting_s"].get<double>() < 0.01);
    CHECK(report["calls"].get<int>() > 1'000'000);
}

TEST_CASE("finding: a rank that sleeps between its tests polls, one that computes between them does not") {
    const Stretch asleep{.length = 500 * ms, .ran_ns = 10'000'000, .waited_ns = 0};
    const json slept = polling_rank(100, ms, {made_stretch(611 * ms - 5000, asleep)});
    CHECK_THAT(finding(slept), Contains("lost waiting in MPI_Iprobe") && Contains("for rank 0, which sends late"));
    CHECK(slept["time"]["waiting_s"].get<double>() == Approx(0.5).epsilon(0.05));
    CHECK(slept["time"]["asleep_s"].get<double>() < 0.1);
    const Stretch computed{.length = 500 * ms, .ran_ns = 490'000'000, .waited_ns = 0};
    const json worked = polling_rank(100, ms, {made_stretch(611 * ms - 5000, computed)});
    CHECK_THAT(finding(worked), Contains("no waiting above 1.0 %"));
    CHECK(worked["time"]["application_s"] > 1.9);
    CHECK_THAT(finding(polling_rank(100, ms)),
               Contains("no waiting above 1.0 %")); // nothing is known: it may have worked
}

TEST_CASE("finding: a matched probe waits for the sender") {
    auto ranks = two_ranks({});
    MadeRecord probe = made_message(Function::Mprobe, 20 * ms, 520 * ms, 1, 7, 8);
    probe.record.what.flags = flag::starts;
    probe.record.request = 5;
    MadeRecord receive = made_message(Function::Mrecv, 521 * ms, 522 * ms, 1, 7, 8);
    receive.record.what.flags = flag::completes;
    receive.record.request = 5;
    auto& records = ranks[0].lanes[0].records;
    records.insert(records.end() - 1, {probe, receive});
    auto& sends = ranks[1].lanes[0].records;
    sends.insert(sends.end() - 1, made_message(Function::Send, 519 * ms, 520 * ms, 0, 7, 8));
    const json report = report_of(ranks);
    check_sum(report);
    CHECK_THAT(finding(report), Contains("lost waiting in MPI_Mprobe on rank 0, for rank 1, which sends late"));
    CHECK(report["time"]["waiting_s"].get<double>() == Approx(0.499).epsilon(0.01));
}

TEST_CASE("finding: ranks that do the same work in turn, before different calls") {
    auto ranks = two_ranks({});
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].definitions.modules = {{0x1000, 0x2000, 0x1000, "/no/such/app", "ab"}};
        auto& records = ranks[i].lanes[0].records;
        MadeRecord first = made_call(Function::Barrier, i == 1 ? 311 * ms : 12 * ms, 312 * ms);
        MadeRecord second = made_call(Function::Barrier, i == 1 ? 313 * ms : 611 * ms, 612 * ms);
        first.record.what.comm = second.record.what.comm = 1;
        first.record.what.place = 0x1100;
        second.record.what.place = 0x1200;
        records.insert(records.end() - 1, {first, second});
        std::vector<MadeRecord> seen = {made_path(1, 1, 0, 0x1010)};
        for (Ticks k = 0; k < 28; ++k)
            seen.push_back(made_sample((i == 1 ? 20 : 320) * ms + k * 10 * ms, 0, 0x1020, 1, on_core));
        ranks[i].lanes.push_back({.number = sampled::lane, .records = seen});
    }
    CHECK_THAT(root(report_of(ranks)), StartsWith("2 ranks in turn, busy in app+0x20 before MPI_Barrier at app+0x"));
}

TEST_CASE("finding: ranks that are late in turn") {
    auto ranks = two_ranks({});
    for (Ticks round = 0; round < 8; ++round)
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            const Ticks end = (round + 2) * 100 * ms;
            MadeRecord barrier = made_call(Function::Barrier, end - (round % 2 == i ? 1 : 80) * ms, end);
            barrier.record.what.comm = 1;
            ranks[i].lanes[0].records.insert(ranks[i].lanes[0].records.end() - 1, barrier);
        }
    json report = report_of(ranks);
    CHECK_THAT(finding(report), Contains("for 2 ranks in turn: which of them comes last moves from rank to rank"));
    CHECK_THAT(root(report), StartsWith("2 ranks in turn, busy before MPI_Barrier"));
}

TEST_CASE("finding: many ranks of which each is late a little are one row") {
    constexpr std::uint32_t count = 48;
    auto ranks = ranks_with(count, {});
    for (std::uint32_t late = 0; late < count; ++late)
        for (std::size_t i = 0; i < count; ++i) {
            const Ticks end = (late + 2) * 20 * ms;
            MadeRecord barrier = made_call(Function::Barrier, end - (i == late ? 1 : late % 8 + 6) * ms, end);
            barrier.record.what.comm = 1;
            ranks[i].lanes[0].records.insert(ranks[i].lanes[0].records.end() - 1, barrier);
        }
    const json report = report_of(ranks);
    CHECK_THAT(finding(report), Contains("for 48 ranks in turn: which of them comes last moves from rank to rank"));
    CHECK_THAT(root(report), StartsWith("48 ranks in turn, busy before MPI_Barrier"));
    CHECK(report["waits"].size() == count);
    const std::string text = report_text_of(ranks, "");
    // 5 to 12 ms of each of 47 ranks.
    CHECK_THAT(text, Contains("48 ranks, 235.000 ms to 564.000 ms each  MPI_Barrier"));

    // One rank that is late as long as five others together stands out.
    for (std::size_t i = 1; i < count; ++i) ranks[i].lanes[0].records[1].record.enter -= 29 * ms;
    for (std::size_t i = 0; i < count; ++i) ranks[i].lanes[0].records[0].record.leave -= 9 * ms;
    const std::string with_rank_0 = report_text_of(ranks, "");
    CHECK_THAT(with_rank_0, Contains("47 ranks, 235.000 ms to 564.000 ms each  MPI_Barrier") &&
                                Contains("rank 0                                   MPI_Barrier"));
    CHECK_THAT(with_rank_0, Contains("cause: 47 ranks alike, busy before MPI_Barrier"));
}
