// What VT.h leaves in a trace: definitions as words and back, the lines of a dump, the numbers of a profile, and a
// trace without an end.
#include "postproc/profile/profile.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "trace/rank_file.hpp"

using namespace tactus;

namespace {

Definitions read_back(SymbolTable table, std::uint32_t number, const std::vector<std::int64_t>& words) {
    Record record;
    record.what = {.tag = static_cast<std::int32_t>(table), .type = number, .kind = Kind::symbol};
    Definitions definitions;
    add_from_record(record, words, definitions);
    return definitions;
}

MadeRecord region(std::uint32_t symbol, Ticks enter, Ticks leave) {
    MadeRecord made = made_call(Function{}, enter, leave);
    made.record.what.kind = Kind::region;
    made.record.what.type = symbol;
    return made;
}

std::vector<MadeRank> one_rank(std::vector<MadeRecord> records) {
    auto ranks = made_ranks(1);
    ranks[0].lanes = {{.records = std::move(records), .records_a_block = 3}}; // regions extend over several blocks
    ranks[0].definitions.symbols = {{1, "outer", false, 0, 0}, {2, "inner", false, 0, 0}, {3, "scope", true, 0, 0}};
    return ranks;
}

Profile profile_of(const std::vector<MadeRank>& ranks) {
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    const auto trace = Trace::open((folder.path() / "app.tactus").string());
    REQUIRE(trace);
    return make_profile(*trace);
}

const RegionProfile& region_in(const Profile& profile, const char* name) {
    for (const RegionProfile& region : profile.regions)
        if (region.name == name) return region;
    throw std::runtime_error{std::string{name} + " is not in the profile"};
}

std::vector<std::string> dumped(const std::vector<MadeRank>& ranks, const std::string& options, int status = 0) {
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    const CommandOutcome outcome = run_tactus("dump " + (folder.path() / "app.tactus").string() + ' ' + options);
    CHECK(outcome.status == status);
    return lines_in(outcome.output);
}

} // namespace

TEST_CASE("definitions of the application as words, and back") {
    const Symbol scope{.number = 3, .name = "a:b", .scope = true, .begin_scl = 4, .end_scl = 5};
    const auto symbols = read_back(SymbolTable::symbols, 3, to_words(scope)).symbols;
    REQUIRE(symbols.size() == 1);
    CHECK(symbols[0].number == 3);
    CHECK(symbols[0].name == "a:b");
    CHECK(symbols[0].scope);
    CHECK(symbols[0].begin_scl == 4);
    CHECK(symbols[0].end_scl == 5);
    const Counter counter{.number = 9,
                          .name = "exactly8",
                          .unit = "m/s",
                          .type = CounterType::floating,
                          .display = CounterDisplay::rate,
                          .valid = CounterValid::after,
                          .of_process = true,
                          .lower = 1,
                          .upper = ~std::uint64_t{0}};
    const auto counters = read_back(SymbolTable::counters, 9, to_words(counter)).counters;
    REQUIRE(counters.size() == 1);
    CHECK(counters[0].name == "exactly8");
    CHECK(counters[0].unit == "m/s");
    CHECK(counters[0].valid == CounterValid::after);
    CHECK(counters[0].upper == ~std::uint64_t{0});
    const auto threads = read_back(SymbolTable::threads, 2, to_words(ThreadName{2, -1, "ä"})).threads;
    REQUIRE(threads.size() == 1);
    CHECK(threads[0].index == -1);
    CHECK(threads[0].name == "ä");
}

TEST_CASE("words that were cut define nothing") {
    std::vector<std::int64_t> words = to_words(Symbol{.number = 1, .name = "a name of some length"});
    while (!words.empty()) {
        words.pop_back();
        CHECK(read_back(SymbolTable::symbols, 1, words).symbols.empty());
    }
    CHECK(read_back(SymbolTable::symbols, 1, {0, 0, 0, -1}).symbols.empty()); // a string of 2^64 - 1 characters
    CHECK(read_back(static_cast<SymbolTable>(77), 1, {0, 0, 0, 0}).symbols.empty());
}

TEST_CASE("a dump puts regions where they begin") {
    auto ranks = made_ranks(1);
    ranks[0].lanes = {{.records = made_application_records(), .records_a_block = 2}};
    ranks[0].closed = false; // so that all names are only in the records
    CHECK(
        dumped(ranks, "", 1) ==
        std::vector<std::string>{"0.000010000 rank 0 lane 0  note symbol #1 solver:step",
                                 "0.000010001 rank 0 lane 0  note counter #1 solver:speed",
                                 "0.000010002 rank 0 lane 0  note location #1 solve.c:12",
                                 "0.000010003 rank 0 lane 0  note lane 0 is thread 7 \"worker\"",
                                 "0.000011000 rank 0 lane 0  region solver:step         3.000 us  at solve.c:12",
                                 "0.000012000 rank 0 lane 0  MPI_Barrier                1.000 us  comm MPI_COMM_WORLD",
                                 "0.000013500 rank 0 lane 0  counter solver:speed 0.5 m/s",
                                 "0.000015000 rank 0 lane 0  comment \"half way!\""});
}

TEST_CASE("events of regions stand around those of calls") {
    auto ranks = one_rank({made_message(Function::Barrier, 30, 40, peer::none, 0, 0), region(2, 20, 50),
                           region(1, 10, 60), region(2, 70, 80)});
    ranks[0].lanes[0].records[3].record.what.flags = flag::unfinished;
    CHECK(dumped(ranks, "--events") ==
          std::vector<std::string>{
              "0.000000010 rank 0 lane 0  enter region outer", "0.000000020 rank 0 lane 0  enter region inner",
              "0.000000030 rank 0 lane 0  enter MPI_Barrier",
              "0.000000040 rank 0 lane 0  collective exit MPI_Barrier comm MPI_COMM_WORLD",
              "0.000000050 rank 0 lane 0  exit region inner", "0.000000060 rank 0 lane 0  exit region outer",
              "0.000000070 rank 0 lane 0  enter region inner",
              "0.000000080 rank 0 lane 0  exit region inner  unfinished"});
    CHECK(dumped(ranks, "--function Barrier").size() == 1);
    CHECK(dumped(ranks, "--from 0.000000065").size() == 1);
}

TEST_CASE("own time is without the regions and calls directly inside; MPI time is with all of them") {
    // outer 1000 [ call 100, inner 500 [ call 200 ], scope that crosses ], then call 50
    const Profile profile = profile_of(
        one_rank({made_call(Function::Wtime, 1100, 1200), made_call(Function::Wtime, 1400, 1600), region(2, 1300, 1800),
                  region(3, 1250, 1850), region(1, 1000, 2000), made_call(Function::Wtime, 2100, 2150)}));
    const RegionProfile& outer = region_in(profile, "outer");
    CHECK(outer.count == 1);
    CHECK(outer.time_s == Approx(1000e-9));
    CHECK(outer.own_s == Approx(400e-9));
    CHECK(outer.mpi_s == Approx(300e-9));
    const RegionProfile& inner = region_in(profile, "inner");
    CHECK(inner.own_s == Approx(300e-9));
    CHECK(inner.mpi_s == Approx(200e-9));
    const RegionProfile& scope = region_in(profile, "scope");
    CHECK(scope.scope);
    CHECK(scope.time_s == Approx(600e-9));
    CHECK(scope.mpi_s == 0);
    CHECK(profile.all.calls == 3);
}

TEST_CASE("a region in the callback of a call is not directly inside the region around the call") {
    const Profile profile = profile_of(
        one_rank({region(2, 1300, 1500), made_call(Function::Allreduce, 1200, 1700), region(1, 1000, 2000)}));
    CHECK(region_in(profile, "outer").own_s == Approx(500e-9));
    CHECK(region_in(profile, "outer").mpi_s == Approx(500e-9));
    CHECK(region_in(profile, "inner").own_s == Approx(200e-9));
}

TEST_CASE("a region inside one of the same name counts its time once") {
    const Profile profile =
        profile_of(one_rank({made_call(Function::Wtime, 1300, 1400), region(1, 1200, 1500), region(1, 1000, 2000)}));
    const RegionProfile& outer = region_in(profile, "outer");
    CHECK(outer.count == 2);
    CHECK(outer.time_s == Approx(1000e-9));
    CHECK(outer.own_s == Approx(900e-9));
    CHECK(outer.mpi_s == Approx(100e-9));
    CHECK(outer.avg_s() == Approx(650e-9));
    CHECK(outer.min_s == Approx(300e-9));
}

TEST_CASE("report and info tell of regions, counters and comments") {
    const TestFolder folder;
    const std::string path = (folder.path() / "app.tactus").string();
    auto ranks = made_ranks(1);
    ranks[0].lanes = {{.records = made_application_records()}};
    ranks[0].definitions.symbols = {{1, "solver:step", false, 0, 0}};
    ranks[0].definitions.counters = {
        {.number = 1, .name = "solver:speed", .unit = "m/s", .type = CounterType::floating}};
    write_trace(path, ranks);
    const std::string text = run_tactus("report " + path).output;
    CHECK(text.find("solver:step") != std::string::npos);
    CHECK(text.find("solver:speed") != std::string::npos);
    const std::string json = run_tactus("report --json " + path).output;
    CHECK(json.find("\"name\": \"solver:step\"") != std::string::npos);
    CHECK(json.find("\"mean\": 0.5") != std::string::npos);
    CHECK(json.find("\"comments\": 1") != std::string::npos);
    CHECK(run_tactus("info " + path).output.find("1 symbol, 1 counter") != std::string::npos);
}
