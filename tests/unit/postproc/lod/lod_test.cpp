// Compares views of random traces with the rule itself, slot by slot over all spans: with and without an index, and
// with any number of threads.
#include "clocksync/trace_clocks.hpp"
#include "postproc/compensate/delay_lines.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/view/view.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/random_lanes.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace tactus {
namespace {

struct Lane {
    std::vector<Span> spans; // with function numbers that are common to all ranks
};

struct Made {
    TestFolder folder;
    std::string path;
    std::vector<MadeRank> ranks;
    std::vector<Lane> lanes; // in the order of TimeLine::lines()

    Made(std::uint64_t seed, const RandomLanes& how) : Made{random_lanes(seed, how)} {}
    explicit Made(std::vector<MadeRank> these)
        : path{(folder.path() / "app.tactus").string()}, ranks{std::move(these)} {
        write_trace(path, ranks);
        const auto trace = Trace::open(path);
        REQUIRE(trace);
        look(*trace, [](const RankFile& file, std::uint32_t, Ticks tick) { return file.clock().at(tick); });
    }
    template <class At> void look(const Trace& trace, const At& at) {
        lanes.clear();
        const FunctionNames names{trace};
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            for (const MadeLane& lane : ranks[rank].lanes) {
                Lane made{spans_by_looking(lane, ranks[rank].definitions.symbols,
                                           [&](Ticks tick) { return at(trace.ranks[rank], lane.number, tick); })};
                for (Span& span : made.spans) span.function = names.number(rank, span.function);
                lanes.push_back(std::move(made));
            }
    }
    void store_index() const {
        const auto trace = Trace::open(path);
        REQUIRE(trace);
        for (const RankFile& file : trace->ranks) {
            const RankIndex index = index_for(file, file.clock());
            REQUIRE(!index.blocks.empty());
            REQUIRE(append_to(file, index.blocks, {}));
        }
    }
};

// The rule as view.hpp states it.
std::vector<FunctionSlot> by_rule(const std::vector<Lane>& lanes, const ViewRow& row, const View& view) {
    struct Sum {
        GlobalTime time = 0;
        GlobalTime first = 0;
        GlobalTime piece = 0;
        Span of;
        std::size_t line = 0;
    };
    const GlobalTime width = GlobalTime{1} << view.width_bits;
    std::vector<FunctionSlot> slots;
    for (std::size_t k = 0; k < view.slots; ++k) {
        const GlobalTime begin = view.from() + static_cast<GlobalTime>(k) * width;
        std::map<std::uint32_t, Sum> sums;
        GlobalTime busy = 0;
        for (const std::size_t line : row.lines)
            for (const Span& span : lanes[line].spans) {
                const GlobalTime from = std::max(begin, span.begin);
                const GlobalTime piece = std::min(begin + width, span.end) - from;
                if (piece <= 0) continue;
                busy += piece;
                Sum& sum = sums[span.function];
                sum.first = sum.time == 0 ? from : std::min(sum.first, from);
                sum.time += piece;
                const bool better = piece != sum.piece           ? piece > sum.piece
                                    : span.begin != sum.of.begin ? span.begin < sum.of.begin
                                    : span.end != sum.of.end     ? span.end > sum.of.end
                                                                 : line < sum.line;
                if (!better) continue;
                sum.piece = piece;
                sum.of = span;
                sum.line = line;
            }
        if (sums.empty()) continue;
        const auto winner = std::min_element(sums.begin(), sums.end(), [](const auto& a, const auto& b) {
            return std::tuple{-a.second.time, a.second.first, a.first} <
                   std::tuple{-b.second.time, b.second.first, b.first};
        });
        const auto& [function, sum] = *winner;
        const auto slot = static_cast<std::uint32_t>(k);
        FunctionSlot winning{.first = slot, .last = slot, .function = function, .time = sum.time, .busy = busy};
        if (std::min(sum.of.end, view.to()) - std::max(sum.of.begin, view.from()) > width) {
            winning.span = sum.of;
            winning.line = sum.line;
            if (!slots.empty() && slots.back().span == winning.span && slots.back().line == winning.line &&
                slots.back().last + 1 == k) {
                slots.back().last = slot;
                slots.back().time += winning.time;
                slots.back().busy += winning.busy;
                continue;
            }
        }
        slots.push_back(winning);
    }
    return slots;
}

std::string text_of(const std::vector<FunctionSlot>& slots) {
    std::string text;
    for (const FunctionSlot& slot : slots) {
        text += std::to_string(slot.first) + "-" + std::to_string(slot.last) + " f" + std::to_string(slot.function) +
                " " + std::to_string(slot.time) + "/" + std::to_string(slot.busy);
        if (slot.span)
            text += " of " + std::to_string(slot.span->begin) + ".." + std::to_string(slot.span->end) + " in " +
                    std::to_string(slot.line);
        text += "\n";
    }
    return text;
}

ViewRequest random_request(std::mt19937_64& random, const TimeLine& time_line) {
    const auto below = [&](GlobalTime end) {
        return static_cast<GlobalTime>(random() % static_cast<std::uint64_t>(end));
    };
    const GlobalTime all = time_line.end() - time_line.begin();
    ViewRequest request;
    request.from = time_line.begin() - all / 8 + below(all);
    request.to = request.from + 1 + below(std::max<GlobalTime>(2, all >> below(12)));
    request.pixels = 1 + static_cast<std::uint32_t>(below(200));
    request.pixels_a_slot = 1 + static_cast<std::uint32_t>(below(3));
    if (below(4) == 0) request.most_read = static_cast<double>(below(1000));
    const std::size_t lines = time_line.lines().size();
    for (std::size_t line = 0; line < lines; ++line) request.rows.push_back({"", {line}});
    for (int i = 0; i < 2; ++i) {
        ViewRow group;
        for (std::size_t line = 0; line < lines; ++line)
            if (below(2) == 0) group.lines.push_back(line);
        request.rows.push_back(group);
    }
    return request;
}

// Returns how many slots were merged into larger ones.
std::size_t compare(const Made& made, const Trace& trace, std::uint64_t seed, TimesShown times = TimesShown::measured) {
    const FunctionNames names{trace};
    const TimeLine time_line{trace, times};
    std::mt19937_64 random{seed};
    std::size_t larger = 0;
    for (int query = 0; query < 5; ++query) {
        const ViewRequest request = random_request(random, time_line);
        const View got = view(time_line, names, request, 1 + static_cast<unsigned>(query % 3));
        CHECK(got.from() <= request.from);
        CHECK(got.to() >= request.to);
        for (std::size_t row = 0; row < request.rows.size(); ++row) {
            INFO("seed " << seed << " query " << query << " row " << row << " width 2^" << got.width_bits);
            const auto expected = by_rule(made.lanes, request.rows[row], got);
            REQUIRE(text_of(got.rows[row]) == text_of(expected));
            for (const FunctionSlot& slot : expected) larger += slot.last > slot.first ? 1 : 0;
        }
    }
    CHECK(time_line.problems().empty());
    return larger;
}

std::size_t compare(const Made& made, std::uint64_t seed, bool stored) {
    if (stored) made.store_index();
    const auto trace = Trace::open(made.path);
    REQUIRE(trace);
    return compare(made, *trace, seed);
}

} // namespace

TEST_CASE("a view shows of each slot what the rule says", "[lod]") {
    std::size_t larger = 0;
    for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
        const bool many = seed % 6 == 0;
        const Made made{seed,
                        {.ranks = many ? 2U : 1 + static_cast<std::uint32_t>(seed % 3),
                         .lanes = many ? 16U : 1 + static_cast<std::uint32_t>(seed % 2),
                         .steps = many ? 60U : 300U}};
        larger += compare(made, seed, false);
        larger += compare(made, seed, true);
    }
    CHECK(larger > 16 * seeds(60));
}

TEST_CASE("where functions took equally long, the first one is shown", "[lod]") {
    for (std::uint64_t seed = 200; seed < 200 + seeds(60); ++seed) {
        const Made made{seed, {.ranks = 2, .lanes = 2, .steps = 200, .longest = 4, .wrong_ns = 0}};
        compare(made, seed, false);
        compare(made, seed, true);
    }
}

TEST_CASE("what is added up ahead says the same", "[lod]") {
    for (std::uint64_t seed = 100; seed < 104; ++seed) {
        const Made made{seed, {.ranks = 1, .lanes = 2, .steps = 5000}};
        compare(made, seed, false);
        compare(made, seed, true);
    }
}

TEST_CASE("slots are as wide as it takes to read no more records than that", "[lod]") {
    const Made made{110, {.ranks = 2, .lanes = 1, .steps = 5000}};
    made.store_index();
    const auto trace = Trace::open(made.path);
    REQUIRE(trace);
    const FunctionNames names{*trace};
    const TimeLine time_line{*trace};
    std::mt19937_64 random{1};
    std::size_t wider = 0;
    for (int query = 0; query < 200; ++query) {
        ViewRequest request = random_request(random, time_line);
        request.most_read = std::numeric_limits<double>::infinity();
        const unsigned wanted = view(time_line, names, request).width_bits;
        request.most_read = 2000;
        const unsigned used = view(time_line, names, request).width_bits;
        const auto to_read = [&](unsigned width_bits) {
            const GlobalTime first = request.from >> width_bits;
            const auto slots = static_cast<std::size_t>(((request.to - 1) >> width_bits) - first) + 1;
            double records = 0;
            for (const ViewRow& row : request.rows)
                for (const std::size_t line : row.lines)
                    records += time_line.records_for(line, first, width_bits, slots);
            return records;
        };
        CHECK(used >= wanted);
        if (used > wanted) {
            CHECK(to_read(used) <= request.most_read);
            CHECK(to_read(used - 1) > request.most_read);
            ++wider;
        }
    }
    CHECK(wider > 10);
    CHECK(wider < 190);
}

TEST_CASE("of months in which little happened an index is made at once", "[lod]") {
    constexpr Ticks month = Ticks{30} * 86'400 * 1'000'000'000;
    auto ranks = made_ranks(2);
    MadeLane busy;
    for (Ticks at = 0; at < 1'000'000; at += 1000) busy.records.push_back(made_call(Function::Barrier, at, at + 500));
    busy.records.push_back(made_call(Function::Barrier, month, 2 * month));
    MadeLane quiet;
    for (const Ticks at : {Ticks{0}, month, 2 * month})
        quiet.records.push_back(made_call(Function::Barrier, at, at + 500));
    ranks[0].lanes = {busy};
    ranks[1].lanes = {quiet};
    const Made made{ranks};
    compare(made, 600, false);
    compare(made, 600, true);
}

TEST_CASE("by other clocks an index is made once, beside the trace", "[lod]") {
    const bool without_tracer = GENERATE(true, false);
    for (std::uint64_t seed = 300; seed < 300 + seeds(10); ++seed) {
        Made made{seed, {.ranks = 2, .lanes = 2, .steps = 1000, .overhead_ns = 30}};
        made.store_index();
        auto trace = Trace::open(made.path);
        REQUIRE(trace);
        compare(made, *trace, seed);
        CHECK(!std::filesystem::exists(made.path + "/cache"));
        const auto cached = [&] { // the cached files, and when they were made
            std::map<std::string, std::filesystem::file_time_type> files;
            for (const auto& file : std::filesystem::directory_iterator{made.path + "/cache"})
                files[file.path()] = file.last_write_time();
            return files;
        };
        if (without_tracer) {
            DelayLines delays = *delay_lines(*trace, DelaySource::computed);
            GlobalTime most = 0;
            made.look(*trace, [&](const RankFile& file, std::uint32_t lane, Ticks tick) {
                const GlobalTime delay = delays[{file.header().rank, lane}].at(tick);
                most = std::max(most, delay);
                return file.clock().at(tick) - delay;
            });
            CHECK(to_ns(most) > 1000);
            compare(made, *trace, seed, TimesShown::compensated);
            const auto first = cached();
            compare(made, *trace, seed, TimesShown::compensated);
            CHECK(cached() == first);
        }
        if (!without_tracer) {
            put_on_one_clock(*trace, Fit::raw);
            made.look(*trace, [](const RankFile& file, std::uint32_t, Ticks tick) { return file.clock().at(tick); });
            compare(made, *trace, seed);
            const auto first = cached();
            compare(made, *trace, seed);
            CHECK(cached() == first);
        }
        CHECK(cached().size() == 2);
    }
}

TEST_CASE("where nothing can be written the index is kept in memory", "[lod]") {
    const Made made{400, {.ranks = 1, .lanes = 1, .steps = 3000}};
    std::ofstream{made.path + "/cache"} << "no folder";
    compare(made, 400, false);
}

TEST_CASE("a damaged index is no harm", "[lod]") {
    const Made made{401, {.ranks = 1, .lanes = 1, .steps = 3000}};
    made.store_index();
    const auto whole = Trace::open(made.path);
    REQUIRE(whole);
    const RankFile& file = whole->ranks.front();
    for (const IndexEntry& entry : file.all_blocks()) {
        if (entry.kind != BlockKind::time_line) continue;
        std::fstream bytes{file.path(), std::ios::in | std::ios::out | std::ios::binary};
        bytes.seekp(static_cast<std::streamoff>(entry.offset + sizeof(BlockHeader)));
        bytes << "damaged";
    }
    const auto trace = Trace::open(made.path);
    REQUIRE(trace);
    const FunctionNames names{*trace};
    const TimeLine time_line{*trace};
    ViewRequest request{.from = time_line.begin(), .to = time_line.end(), .pixels = 10, .rows = {{"", {0}}}};
    const View got = view(time_line, names, request);
    CHECK(text_of(got.rows[0]) == text_of(by_rule(made.lanes, request.rows[0], got)));
    CHECK(!time_line.problems().empty());
}

TEST_CASE("tactus timeline says for programs what it shows", "[lod]") {
    const Made made{500, {.ranks = 3, .lanes = 2, .steps = 400}};
    const CommandOutcome done = run_tactus("timeline " + made.path + " --json --group 0,2 --group 1-1 --pixels 64");
    REQUIRE(done.status == 0);
    const auto json = nlohmann::json::parse(done.output);
    REQUIRE(json["rows"].size() == 2);
    CHECK(json["rows"][0]["name"] == "ranks 0,2");
    CHECK(json["rows"][0]["threads"] == 4);
    REQUIRE(json["totals"].size() == json["slots"]);
    double busy = 0;
    for (const auto& row : json["rows"])
        for (const auto& slot : row["slots"]) busy += slot["busy_s"].get<double>();
    double traced = 0;
    for (const Lane& lane : made.lanes)
        for (const Span& span : lane.spans) traced += 1e-9 * to_ns(span.length());
    CHECK(busy == Approx(traced));
    std::vector<double> totals(json["functions"].size());
    for (const auto& slot : json["totals"])
        for (const auto& entry : slot) totals.at(entry["function"]) += entry["time_s"].get<double>();
    for (std::size_t i = 0; i < totals.size(); ++i)
        CHECK(totals[i] == Approx(json["functions"][i]["time_s"].get<double>()));

    const std::string text = run_tactus("timeline " + made.path + " --rows threads --pixels 20").output;
    CHECK(text.find("  rank 1 thread 1 |") != std::string::npos);
    CHECK(text.find("b:three") != std::string::npos);
    for (const auto& [arguments, error] : {std::pair{"--group 7", "the trace has none of the ranks 7"},
                                           std::pair{"--group 2-1", "'2-1' is no list of ranks"},
                                           std::pair{"--from 2 --to 1", "there is nothing between --from and --to"}}) {
        const CommandOutcome refused = run_tactus("timeline " + made.path + ' ' + arguments);
        CHECK(refused.status == 2);
        CHECK(refused.errors.find(error) != std::string::npos);
    }
}

} // namespace tactus
