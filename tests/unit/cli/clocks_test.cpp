// `tactus clocks`, and the clocks that `dump` and `report` use: made traces whose clocks are wrong in a known way.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/hostile_file.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tactus;
using nlohmann::json;

namespace {

constexpr Ticks second = 1'000'000'000;

ClockPlace measured_against(std::uint32_t master, std::uint32_t level = 1) {
    return {ClockRelation::measured, master, level};
}

// Rank 1 is 1 ms ahead and runs 50 ppm fast, in its date as in its ticks. Rank 2 shares rank 1's clock.
constexpr Ticks ahead_ns = 1'000'000;
constexpr double fast_ppm = 50;
std::int64_t ahead_at(Ticks tick) {
    return static_cast<std::int64_t>(ahead_ns) + static_cast<std::int64_t>(1e-6 * fast_ppm * static_cast<double>(tick));
}

std::vector<MadeRank> wrong_clocks() {
    auto ranks = made_ranks(3);
    ranks[0].definitions.clock_places = {{ClockRelation::reference, 0, 0}};
    ranks[1].definitions.clock_places = {measured_against(0)};
    ranks[2].definitions.clock_places = {{ClockRelation::shared, 1, 1}};
    for (std::uint32_t r = 1; r < 3; ++r) {
        ranks[r].header.host = "node2";
        ranks[r].header.start.realtime_ns += ahead_ns;
        ranks[r].header.start.tick += ahead_ns;
    }
    // Five rounds over the second that a made run takes.
    for (std::uint32_t number = 0; number < 5; ++number) {
        const Ticks at = number * (second / 4) + ahead_ns;
        ranks[1].definitions.sync_rounds.push_back(made_round(number, at, ahead_at(at)));
    }
    return ranks;
}

// A message from rank 1, which is ahead by more than the message takes, to rank 0.
std::vector<MadeRank> reversed_message() {
    auto ranks = wrong_clocks();
    const Ticks sent = second / 2;
    const Ticks seen = sent + static_cast<Ticks>(ahead_at(sent));
    ranks[1].lanes = {{.records = {made_message(Function::Send, seen, seen + 500, 0, 7, 8)}}};
    ranks[0].lanes = {{.records = {made_message(Function::Recv, sent - 100'000, sent + 2000, 1, 7, 8)}}};
    return ranks;
}

struct Made {
    TestFolder folder;
    std::string trace;
    explicit Made(const std::vector<MadeRank>& ranks) : trace{(folder.path() / "app.tactus").string()} {
        write_trace(trace, ranks);
    }
    [[nodiscard]] CommandOutcome run(const std::string& command, const std::string& options = {}) const {
        return run_tactus(command + ' ' + trace + ' ' + options);
    }
    [[nodiscard]] json clocks(const std::string& options = {}) const {
        const CommandOutcome outcome = run("clocks --json", options);
        CHECK(outcome.status == 0);
        CHECK(outcome.errors.empty());
        return json::parse(outcome.output);
    }
};

double value(const json& number) { return number.get<double>(); }

std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

bool has_only_entities(const std::string& xml) {
    for (std::size_t at = xml.find('&'); at != std::string::npos; at = xml.find('&', at + 1))
        if (xml.compare(at, 4, "&lt;") != 0 && xml.compare(at, 4, "&gt;") != 0 && xml.compare(at, 5, "&amp;") != 0)
            return false;
    return true;
}

// Whether every tag that opens is closed, in the right order.
bool is_well_formed(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos || xml.find('<', at + 1) < end) return false;
        const std::string tag = xml.substr(at + 1, end - at - 1);
        if (count_of(tag, "\"") % 2 != 0) return false;
        if (tag.front() == '/') {
            if (open.empty() || '/' + open.back() != tag) return false;
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(tag.substr(0, tag.find(' ')));
        }
    }
    return open.empty() && has_only_entities(xml);
}

std::string drawn(const Made& made) {
    const std::string file = (made.folder.path() / "clocks.svg").string();
    CHECK(made.run("clocks", "--svg " + file).errors.empty());
    std::ifstream stream{file};
    return {std::istreambuf_iterator<char>{stream}, {}};
}

} // namespace

TEST_CASE("clocks: offset and drift are what must be added") {
    const Made made{wrong_clocks()};
    for (const std::string options : {"", "--fit interval", "--fit itac"}) {
        const json all = made.clocks(options);
        INFO(options << all.dump(1));
        CHECK(all["fit"] == (options == "--fit itac" ? "itac" : "interval"));
        CHECK(all["measured"] == true);
        CHECK(all["stored"] == false);
        CHECK(all["ranks"][0]["relation"] == "reference");
        CHECK(all["ranks"][0]["offset_ns"] == 0);
        CHECK(all["ranks"][0]["drift_ppm"] == 0);
        for (const std::size_t rank : {1, 2}) {
            const json& clock = all["ranks"][rank];
            CHECK(std::abs(value(clock["offset_ns"]) + 1e6) < 200);
            CHECK(std::abs(value(clock["drift_ppm"]) + fast_ppm) < 0.2);
            CHECK(value(clock["half_width_ns"]) > 0);
            CHECK(value(clock["half_width_ns"]) < 600);
            CHECK(clock["level"] == 1);
            CHECK(clock["notes"].empty());
            for (const char* fit : {"interval", "itac"})
                CHECK(std::abs(value(clock["fits"][fit]["drift_ppm"]) + fast_ppm) < 0.2);
        }
        CHECK(all["ranks"][1]["relation"] == "measured");
        CHECK(all["ranks"][2]["relation"] == "shared");
        CHECK(all["ranks"][2]["master"] == 1);
    }
}

TEST_CASE("clocks: every round") {
    auto ranks = wrong_clocks();
    SyncRound rejected = made_round(5, 2 * second, 0);
    rejected.rejected = true;
    ranks[1].definitions.sync_rounds.push_back(rejected);
    ranks[1].definitions.sync_rounds.push_back({.reason = RoundReason::period, .number = 6, .samples = {}});
    const json all = Made{ranks}.clocks();
    const json& rounds = all["ranks"][1]["rounds"];
    REQUIRE(rounds.size() == 7);
    for (std::size_t i = 0; i < 5; ++i) {
        INFO(rounds[i].dump(1));
        const auto ahead = static_cast<double>(ahead_at(ahead_ns + i * second / 4));
        CHECK(rounds[i]["number"] == i);
        CHECK(rounds[i]["reason"] == (i == 0 ? "init" : "VT_timesync"));
        CHECK(std::abs(value(rounds[i]["time_s"]) - 0.25 * static_cast<double>(i)) < 0.0005);
        CHECK(rounds[i]["samples"] == 20);
        CHECK(rounds[i]["rejected"] == false);
        CHECK(std::abs(value(rounds[i]["offset_ns"]) + ahead) < 10);
        CHECK(std::abs(value(rounds[i]["bound_ns"]) - 500) < 10);
        CHECK(value(rounds[i]["half_width_ns"]) < 500);
    }
    CHECK(rounds[5]["rejected"] == true);
    CHECK(rounds[6]["samples"] == 0);
    CHECK(rounds[6]["offset_ns"].is_null());
    CHECK(all["ranks"][1]["rejected"] == 2);
}

TEST_CASE("clocks: a message that was received before it was sent, until the clocks are right") {
    const Made made{reversed_message()};
    const json reversed = made.clocks()["reversed"];
    CHECK(reversed["pairs"] == 1);
    CHECK(reversed["raw"] == 1);
    CHECK(reversed["fitted"] == 0);
    CHECK(reversed["interval"] == 0);
    CHECK(reversed["itac"] == 0);
    CHECK(reversed["unpaired"] == 0);
    CHECK_THAT(made.run("clocks").output,
               Contains("of 1 pair: 1 by the hosts' dates, 0 by the time maps; 0 by interval; 0 by itac"));
}

TEST_CASE("clocks: messages without a pair are counted by their reason") {
    auto ranks = reversed_message();
    ranks[0].lanes.clear();
    const Made made{ranks};
    CHECK(made.clocks()["reversed"]["unpaired_by_reason"]["unequal"] == 1);
    CHECK_THAT(made.run("clocks").output, Contains("1 left out: sent or received without a counterpart"));
}

TEST_CASE("clocks for people") {
    auto ranks = wrong_clocks();
    ranks[1].definitions.sync_rounds[3].rejected = true;
    const std::string text = Made{ranks}.run("clocks").output;
    INFO(text);
    CHECK_THAT(text, Contains("app: 3 ranks, timer TSC"));
    CHECK_THAT(text, Contains("1 clock measured, 1 rank on another rank's clock; all against rank 0; fit interval "
                              "(made again from what was measured)"));
    CHECK_THAT(text, Contains("node2  measured against 0  -1.000 ms    -5"));
    CHECK_THAT(text, Contains("node2  as rank 1           -1.000 ms    -5"));
    CHECK_THAT(text, Contains("1 of 5 rounds rejected"));
}

TEST_CASE("clocks: maps that the run stored are taken as they are") {
    auto ranks = wrong_clocks();
    ranks[0].definitions.time_maps = {straight(made_start, 0, 1)};
    for (std::uint32_t r = 1; r < 3; ++r) ranks[r].definitions.time_maps = {straight(made_start + 3'000'000, 0, 1)};
    for (MadeRank& rank : ranks) rank.definitions.time_maps[0].fit = Fit::itac;
    ranks[1].definitions.time_maps[0].notes = {{ClockTrouble::step, made_start + second / 2, 50'000, 1}};
    ranks[2].definitions.time_maps[0].notes = ranks[1].definitions.time_maps[0].notes; // it shares the clock
    const Made made{ranks};
    const json all = made.clocks();
    CHECK(all["fit"] == "itac");
    CHECK(all["stored"] == true);
    CHECK(std::abs(value(all["ranks"][1]["offset_ns"]) + 3e6) < 1);
    REQUIRE(all["ranks"][1]["notes"].size() == 1);
    CHECK(all["ranks"][1]["notes"][0]["name"] == "step");
    CHECK(all["ranks"][1]["notes"][0]["amount_ns"] == 50'000);
    CHECK(all["ranks"][2]["notes"].empty());
    CHECK(std::abs(value(made.clocks("--fit interval")["ranks"][1]["offset_ns"]) + 1e6) < 200);
    CHECK_THAT(made.run("clocks").output,
               Contains("rank 1: step at 0.499000 s, +50.000 us: its clock jumped between two rounds"));
}

TEST_CASE("clocks: how errors grow from level to level") {
    auto ranks = made_ranks(4);
    ranks[0].definitions.clock_places = {{ClockRelation::reference, 0, 0}};
    for (std::uint32_t r = 1; r < 4; ++r) {
        const std::uint32_t master = r == 3 ? 1 : 0;
        ranks[r].definitions.clock_places = {measured_against(master, master + 1)};
        for (std::uint32_t number = 0; number < 3; ++number) {
            ranks[r].definitions.sync_rounds.push_back(made_round(number, number * (second / 2) + 100'000 * r, 0));
            ranks[r].definitions.sync_rounds.back().master = master;
        }
    }
    const Made made{ranks};
    const json levels = made.clocks()["levels"];
    REQUIRE(levels.size() == 2);
    CHECK(levels[0]["clocks"] == 2);
    CHECK(levels[1]["level"] == 2);
    CHECK(value(levels[1]["half_width_median_ns"]) > value(levels[0]["half_width_median_ns"]));
    CHECK_THAT(made.run("clocks").output, Contains("tree of depth 2") && Contains("Half-widths by level"));
}

TEST_CASE("clocks: a trace without measurements, and one of one rank") {
    const Made unmeasured{made_ranks(2)};
    CHECK_THAT(unmeasured.run("clocks").output, Contains("No clock was measured"));
    const json all = unmeasured.clocks();
    CHECK(all["measured"] == false);
    CHECK(all["fit"] == "raw");
    CHECK(all["ranks"][1]["relation"] == "unknown");
    CHECK(all["ranks"][1]["half_width_ns"].is_null());
    CHECK(is_well_formed(drawn(unmeasured)));

    auto lone_rank = made_ranks(1);
    lone_rank[0].definitions.clock_places = {{ClockRelation::reference, 0, 0}};
    const Made alone{lone_rank};
    CHECK(alone.clocks()["ranks"].size() == 1);
    CHECK(is_well_formed(drawn(alone)));
}

TEST_CASE("clocks: the drawing has two lines for each clock") {
    auto ranks = wrong_clocks();
    ranks[1].header.host = "<&\"no\xef\xbf\xbf";
    const std::string svg = drawn(Made{ranks});
    CHECK(is_well_formed(svg));
    CHECK(count_of(svg, "<polyline") == 4); // rank 2 shares rank 1's clock
    CHECK(count_of(svg, "<circle") == 2 * 5 + 2);
    CHECK_THAT(svg, Contains("rank 1, &lt;&amp;\"no?"));

    auto many = made_ranks(30);
    for (MadeRank& rank : many) rank.definitions.clock_places = {measured_against(0)};
    const std::string crowd = drawn(Made{many});
    CHECK(is_well_formed(crowd));
    CHECK(count_of(crowd, "<polyline") == 60);
    CHECK_THAT(crowd, Contains("18 more clocks"));
}

TEST_CASE("clocks: a drawing that cannot be written") {
    const CommandOutcome outcome = Made{made_ranks(1)}.run("clocks", "--svg /no/such/folder/clocks.svg");
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.errors, Contains("/no/such/folder/clocks.svg: cannot be written: No such file"));
    CHECK(lines_in(outcome.errors).size() == 1);
}

TEST_CASE("a fit that there is not") {
    const Made made{wrong_clocks()};
    for (const char* command : {"clocks", "dump", "report"}) {
        const CommandOutcome outcome = made.run(command, "--fit cubic");
        INFO(outcome.errors);
        CHECK(outcome.status == 2);
        CHECK(lines_in(outcome.errors).size() == 1);
        CHECK_THAT(outcome.errors, Contains("--fit") && Contains("cubic") && Contains("itac"));
    }
    CHECK(made.run("clocks", "--fit raw").status == 2);
}

TEST_CASE("dump and report are on the global clock, unless by the hosts' dates") {
    const Made made{reversed_message()};
    for (const std::string fit : {"", "--fit interval", "--fit itac", "--fit raw"}) {
        const std::string events = made.run("dump --events", fit).output;
        INFO(fit << '\n' << events);
        REQUIRE(count_of(events, "\n") == 6);
        CHECK((events.find("receive from") < events.find("send to")) == (fit == "--fit raw"));
    }
    CHECK(json::parse(made.run("report --json").output)["fit"] == "interval");
    CHECK(json::parse(made.run("report --json --fit raw").output)["fit"] == "raw");
}

TEST_CASE("clocks whose samples, maps and places are any numbers", "[hostile]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Ticks far = ~Ticks{0};
    auto ranks = wrong_clocks();
    Definitions& odd = ranks[1].definitions;
    odd.clock_places = {{static_cast<ClockRelation>(200), 4'000'000'000U, 4'000'000'000U}};
    for (std::uint32_t i = 0; i < 20; ++i) {
        SyncRound round{.reason = static_cast<RoundReason>(i * 10), .number = 7 * i % 5, .master = i, .samples = {}};
        for (const Ticks a : {Ticks{0}, far / 2, far, made_start + i})
            for (const Ticks b : {Ticks{1}, far / 40 * i, far - i}) round.samples.push_back({a, b, a + Ticks{i} * i});
        odd.sync_rounds.push_back(round);
    }
    ranks[2].definitions.clock_places = {{ClockRelation::shared, 2, 0}};
    const Commands commands = {"clocks ", "clocks --json --fit itac ", "clocks --svg /dev/null --fit interval "};
    check_survives(Made{ranks}.trace, 0, "", commands);
    odd.clock_places = {measured_against(0)};
    check_survives(Made{ranks}.trace, 0, "", commands);
    for (MadeRank& rank : ranks) {
        TimeMap map = straight(5, 1, 1e8);
        map.knots.push_back({.tick = far / 2, .time = std::int64_t{1} << 62, .rate = 1e-5, .half_width_ns = infinity});
        map.knots.front().half_width_ns = 1e308;
        map.knots.front().rate = 1e-5;
        map.drift_ppm = infinity;
        map.notes = {{ClockTrouble::step, far, infinity, far}};
        rank.definitions.time_maps = {map};
    }
    check_survives(Made{ranks}.trace, 0, "", commands);
}

TEST_CASE("very many rounds", "[hostile]") {
    auto ranks = wrong_clocks();
    auto& rounds = ranks[1].definitions.sync_rounds;
    for (std::uint32_t number = 0; number < (sanitized ? 200 : 2'000); ++number) {
        rounds.push_back(made_round(number, number * Ticks{3}, number % 1000));
        rounds.back().samples.resize(2);
    }
    check_survives(Made{ranks}.trace, 0, "", {"clocks ", "clocks --json --svg /dev/null ", "dump "});
}
