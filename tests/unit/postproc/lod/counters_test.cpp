// Compares the counters of pictures with all values that were written.
#include "postproc/compensate/delay_lines.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/view/view.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace tactus {
namespace {

struct Value {
    std::size_t line = 0; // index in TimeLine::lines()
    std::string name;
    Ticks tick = 0;
    double value = 0;
    GlobalTime time = 0; // by the clocks that the test asks for
};

struct Made {
    TestFolder folder;
    std::string path{(folder.path() / "app.tactus").string()};
    std::vector<Value> values;

    // Makes three ranks with two threads each. Rank 2 has no counters, and each rank numbers its counters differently.
    Made(std::uint64_t seed, std::size_t steps) {
        std::mt19937_64 random{seed};
        const auto below = [&](std::uint64_t end) { return random() % end; };
        std::vector<MadeRank> ranks = made_ranks(3);
        std::vector<std::tuple<std::size_t, std::uint32_t, Ticks, double>> written;
        for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
            Definitions& known = ranks[rank].definitions;
            Counter speed{.number = 5 - rank, .name = "app:speed", .unit = "m/s"};
            speed.type = CounterType::floating;
            if (rank < 2) known.counters = {speed, {.number = 9, .name = "app:steps", .unit = ""}};
            for (std::uint32_t thread = 0; thread < 2; ++thread) {
                MadeLane& lane = ranks[rank].lanes.emplace_back();
                lane.number = thread;
                lane.records_a_block = 1 + below(300);
                Ticks at = below(1000);
                for (std::size_t i = 0; i < steps; ++i) {
                    at += below(8) == 0 ? below(100'000) : below(4);
                    if (rank == 2 || below(3) == 0) {
                        const Ticks enter = at;
                        lane.records.push_back(made_call(Function::Barrier, enter, at += below(300)));
                        continue;
                    }
                    MadeRecord record = made_call(Function::Barrier, at, at);
                    const bool is_speed = below(2) == 0;
                    const double value =
                        is_speed ? static_cast<double>(below(2000)) / 8 - 100 : static_cast<double>(below(1000)) - 500;
                    record.record.what = {};
                    record.record.what.kind = Kind::counter;
                    record.record.what.type = is_speed ? 5 - rank : 9;
                    record.record.what.bytes = is_speed ? std::bit_cast<std::uint64_t>(value)
                                                        : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
                    lane.records.push_back(record);
                    values.push_back({2 * rank + thread, is_speed ? "app:speed" : "app:steps", made_start + at, value});
                }
            }
        }
        for (MadeRank& rank : ranks) rank.definitions.costs.push_back({.call = 30});
        write_trace(path, ranks);
    }
    void look(const Trace& trace, TimesShown times) {
        DelayLines delays;
        if (times == TimesShown::compensated) delays = *delay_lines(trace, DelaySource::computed);
        for (Value& value : values) {
            const RankFile& file = trace.ranks[value.line / 2];
            value.time = file.clock().at(value.tick);
            if (times == TimesShown::compensated)
                value.time -= delays[{file.header().rank, value.line % 2}].at(value.tick);
        }
    }
    void store_index() const {
        const auto trace = Trace::open(path);
        REQUIRE(trace);
        for (const RankFile& file : trace->ranks) {
            const auto clock = [&](std::size_t) -> const ProcessClock& { return file.clock(); };
            const RankIndex index = make_index(file, index_identity(file, file.clock()), clock);
            REQUIRE(append_to(file, index.blocks, {}));
        }
    }
};

std::string text_of(const std::vector<CounterSum>& sums) {
    std::string text;
    for (const CounterSum& sum : sums)
        text += std::to_string(sum.slot) + " row " + std::to_string(sum.row) + " #" + std::to_string(sum.counter) +
                " " + std::to_string(sum.count) + ": " + std::to_string(sum.least) + ".." +
                std::to_string(sum.greatest) + ", " + std::to_string(sum.last) + " at " + std::to_string(sum.last_at) +
                "\n";
    return text;
}

// The rule as counters_shown.hpp states it.
std::vector<CounterSum> by_rule(const Made& made, const ViewRequest& request, const View& view, unsigned width_bits) {
    const std::vector<CounterName>& names = view.counters.names;
    std::map<std::tuple<std::int64_t, std::uint64_t, std::uint32_t>, std::vector<const Value*>> all;
    for (std::size_t row = 0; row < request.rows.size(); ++row)
        for (const std::size_t line : request.rows[row].lines)
            for (const Value& value : made.values) {
                const std::int64_t slot = value.time >> width_bits;
                if (value.line != line || slot < view.from() >> width_bits || slot > (view.to() - 1) >> width_bits)
                    continue;
                const auto name = std::find_if(names.begin(), names.end(),
                                               [&](const CounterName& known) { return known.name == value.name; });
                REQUIRE(name != names.end());
                all[{slot, row, static_cast<std::uint32_t>(name - names.begin())}].push_back(&value);
            }
    std::vector<CounterSum> sums;
    for (const auto& [place, values] : all) {
        CounterSum& sum = sums.emplace_back();
        std::tie(sum.slot, sum.row, sum.counter) = place;
        sum.count = values.size();
        sum.least = std::numeric_limits<double>::infinity();
        sum.greatest = -sum.least;
        sum.last_at = std::numeric_limits<GlobalTime>::min();
        for (const Value* value : values) {
            sum.least = std::min(sum.least, value->value);
            sum.greatest = std::max(sum.greatest, value->value);
            if (value->time < sum.last_at || (value->time == sum.last_at && value->value < sum.last)) continue;
            sum.last_at = value->time;
            sum.last = value->value;
        }
    }
    return sums;
}

std::size_t compare(Made& made, std::uint64_t seed, TimesShown times = TimesShown::measured) {
    const auto trace = Trace::open(made.path);
    REQUIRE(trace);
    made.look(*trace, times);
    const FunctionNames names{*trace};
    const TimeLine time_line{*trace, times};
    std::mt19937_64 random{seed};
    const auto below = [&](std::uint64_t end) { return random() % end; };
    const auto all = static_cast<std::uint64_t>(time_line.end() - time_line.begin());
    std::size_t wider = 0;
    for (int query = 0; query < 12; ++query) {
        ViewRequest request;
        request.from = time_line.begin() - static_cast<GlobalTime>(all / 8) + static_cast<GlobalTime>(below(all));
        request.to = request.from + 1 + static_cast<GlobalTime>(below(std::max<std::uint64_t>(2, all >> below(12))));
        if (query >= 6) { // begins exactly at a value, which may be the last of a block
            request.from = made.values[below(made.values.size())].time;
            request.to = request.from + 1 + static_cast<GlobalTime>(below(64));
        }
        request.pixels = 1 + static_cast<std::uint32_t>(below(200));
        request.rows = {{"", {0, 1}}, {"", {2}}, {"", {3, 4, 5}}};
        request.most_values = 1 + below(std::uint64_t{1} << below(12));
        const View got = view(time_line, names, request, 1 + static_cast<unsigned>(query % 3));
        const unsigned width_bits = got.counters.width_bits;
        INFO("seed " << seed << " query " << query << " width 2^" << width_bits);
        CHECK(width_bits >= got.width_bits);
        REQUIRE(text_of(got.counters.sums) == text_of(by_rule(made, request, got, width_bits)));
        if (width_bits == got.width_bits) continue;
        ++wider;
        CHECK(by_rule(made, request, got, width_bits - 1).size() > request.most_values);
    }
    CHECK(time_line.problems().empty());
    return wider;
}

} // namespace

TEST_CASE("a view has the counters of its slots", "[lod]") {
    std::size_t wider = 0;
    for (std::uint64_t seed = 1; seed <= seeds(15); ++seed) {
        Made made{seed, seed % 5 == 0 ? std::size_t{6000} : 300};
        wider += compare(made, seed); // with an index in a file beside the trace
        wider += compare(made, seed, TimesShown::compensated);
        made.store_index();
        wider += compare(made, seed);
        made.store_index(); // as after a first attempt that was killed
        wider += compare(made, seed);
    }
    CHECK(wider > seeds(15));
}

TEST_CASE("damaged sums of counters are refused, or sane", "[lod]") {
    std::mt19937_64 random{1};
    std::size_t refused = 0;
    for (int i = 0; i < 2000; ++i) {
        CounterSums sums{40};
        for (int k = 0; k < 100; ++k)
            sums.add(static_cast<std::uint32_t>(random() % 3), static_cast<GlobalTime>(random() % 100'000) - 10'000,
                     static_cast<double>(random() % 1000));
        const CounterLevel level = sums.take().front();
        Bytes bytes = encode(level.sums, level.width_bits);
        const auto whole = decode_counters(bytes, level.width_bits);
        REQUIRE(whole);
        CHECK(*whole == level.sums);
        bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        const auto back = decode_counters(bytes, level.width_bits);
        if (!back) ++refused;
        for (const CounterSum& sum : back ? *back : std::vector<CounterSum>{})
            CHECK(sum.last_at >> level.width_bits == sum.slot);
    }
    CHECK(refused > 100);
}

TEST_CASE("tactus timeline says for programs what counters showed", "[lod]") {
    const Made made{3, 200};
    const auto json = nlohmann::json::parse(run_tactus("timeline " + made.path + " --json --pixels 64").output);
    const auto& counters = json["counters"];
    REQUIRE(counters["names"].size() == 2);
    CHECK(counters["names"][0]["name"] == "app:speed");
    CHECK(counters["names"][0]["unit"] == "m/s");
    std::size_t count = 0;
    double greatest = 0;
    for (const auto& sum : counters["all"]) {
        count += sum["count"].get<std::size_t>();
        if (sum["counter"] == 1) greatest = std::max(greatest, sum["greatest"].get<double>());
    }
    CHECK(count == made.values.size());
    double expected = 0;
    for (const Value& value : made.values)
        if (value.name == "app:steps") expected = std::max(expected, value.value);
    CHECK(greatest == expected);
    CHECK(
        !nlohmann::json::parse(run_tactus("timeline " + made.path + " --json --values 0").output).contains("counters"));
}

} // namespace tactus
