// Compares what pictures show of time without a core with the stretches themselves.
#include "postproc/finish/store.hpp"
#include "postproc/view/view.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

namespace tactus {
namespace {

constexpr Ticks us = 1000;
constexpr Ticks ms = 1000 * us;
constexpr unsigned least_bits = 20; // of the slots that are kept

// A time in which a thread had no core for a share of it.
struct Without {
    std::size_t line = 0;
    Ticks from = 0;
    Ticks to = 0;
    double share = 0;
};

struct MadeStretches {
    TestFolder folder;
    std::string path{(folder.path() / "app.tactus").string()};
    std::vector<Without> known;

    // Two ranks with two threads each. The last thread always has a core.
    MadeStretches(std::uint64_t seed, std::size_t stretches) {
        std::mt19937_64 random{seed};
        const auto below = [&](std::uint64_t end) { return random() % end; };
        std::vector<MadeRank> ranks = made_ranks(2);
        for (std::size_t line = 0; line < 4; ++line) {
            MadeLane& lane = ranks[line / 2].lanes.emplace_back();
            lane.number = static_cast<std::uint32_t>(line % 2);
            lane.records_a_block = 1 + below(50);
            Ticks at = below(ms);
            std::vector<std::pair<Without, double>> untold; // with the time that it was not on a core
            for (std::size_t i = 0; i < stretches; ++i) {
                const Ticks from = at;
                lane.records.push_back(made_call(Function::Barrier, at + 1, at + 1 + below(us)));
                at += ms + below(below(8) == 0 ? 20 * ms : ms);
                const Ticks ran = line == 3 ? at - from : below(at - from + 1);
                untold.push_back({{line, made_start + from, made_start + at, 0}, static_cast<double>(at - from - ran)});
                Stretch stretch{.length = at - from, .ran_ns = static_cast<std::int64_t>(ran)};
                if (below(3) == 0) {
                    double off_core = 0;
                    for (const auto& [of, off] : untold) off_core += off;
                    stretch.waited_ns = static_cast<std::int64_t>(below(static_cast<std::uint64_t>(off_core) + 1));
                    for (auto& [of, off] : untold) {
                        of.share = off_core == 0 ? 0
                                                 : static_cast<double>(stretch.waited_ns) / off_core * off /
                                                       static_cast<double>(of.to - of.from);
                        known.push_back(of);
                    }
                    untold.clear(); // of what is left at the end nothing is told
                }
                lane.records.push_back(made_stretch(at, stretch));
                at += 2;
            }
        }
        write_trace(path, ranks);
    }
    void store_index() const {
        const auto trace = Trace::open(path);
        REQUIRE(trace);
        for (const RankFile& file : trace->ranks) {
            const auto clock = [&](std::size_t) -> const ProcessClock& { return file.clock(); };
            REQUIRE(append_to(file, make_index(file, index_identity(file, file.clock()), clock).blocks, {}));
        }
    }
};

// The rule: the time without a core in a slot, spread evenly over each stretch. Slots of a view that are narrower than
// those that are kept have their part of a kept one.
std::vector<double> shares_by_rule(const MadeStretches& made, const TimeLine& time_line, const ViewRow& row,
                                   const View& view) {
    const unsigned bits = std::max(view.width_bits, least_bits);
    std::vector<double> shares(view.slots);
    for (std::size_t slot = 0; slot < view.slots; ++slot) {
        const std::int64_t kept = (view.first + static_cast<std::int64_t>(slot)) >> (bits - view.width_bits);
        double time = 0;
        for (const Without& without : made.known) {
            if (std::ranges::find(row.lines, without.line) == row.lines.end()) continue;
            const ProcessClock& clock = *time_line.lines()[without.line].clock;
            const GlobalTime begin = std::max(clock.at(without.from), kept << bits);
            const GlobalTime end = std::min(clock.at(without.to), (kept + 1) << bits);
            if (end > begin) time += without.share * static_cast<double>(end - begin);
        }
        shares[slot] = time / std::ldexp(static_cast<double>(row.lines.size()), static_cast<int>(bits));
    }
    return shares;
}

void compare_shares(const MadeStretches& made, std::uint64_t seed) {
    const auto trace = Trace::open(made.path);
    REQUIRE(trace);
    const FunctionNames names{*trace};
    const TimeLine time_line{*trace};
    std::mt19937_64 random{seed};
    const auto all = static_cast<std::uint64_t>(time_line.end() - time_line.begin());
    for (int query = 0; query < 8; ++query) {
        ViewRequest request;
        request.from = time_line.begin() + static_cast<GlobalTime>(random() % all) - static_cast<GlobalTime>(all / 4);
        request.to = request.from + 1 + static_cast<GlobalTime>(random() % (all >> (random() % 8)));
        request.pixels = 1 + static_cast<std::uint32_t>(random() % 100);
        request.rows = {{"", {0}}, {"", {1, 2}}, {"", {0, 1, 2, 3}}, {"", {3}}};
        const View seen = view(time_line, names, request, 1 + static_cast<unsigned>(query % 3));
        REQUIRE(seen.no_core.size() == request.rows.size());
        for (std::size_t row = 0; row < request.rows.size(); ++row) {
            std::vector<double> shown(seen.slots);
            for (const NoCoreSlot& slot : seen.no_core[row]) shown.at(slot.slot) = slot.share;
            const std::vector<double> expected = shares_by_rule(made, time_line, request.rows[row], seen);
            for (std::size_t slot = 0; slot < seen.slots; ++slot) {
                INFO("seed " << seed << " query " << query << " row " << row << " slot " << slot);
                REQUIRE(shown[slot] == Approx(expected[slot]).margin(1e-4));
            }
        }
        CHECK(seen.no_core[3].empty());
    }
    CHECK(time_line.problems().empty());
}

double time_of(const std::vector<NoCoreSum>& sums) {
    double all = 0;
    for (const NoCoreSum& sum : sums) all += static_cast<double>(sum.time);
    return all;
}

} // namespace

TEST_CASE("a view has the time without a core of its slots", "[lod]") {
    for (std::uint64_t seed = 1; seed <= seeds(10); ++seed) {
        const MadeStretches made{seed, 60};
        compare_shares(made, seed); // with an index in a file beside the trace
        made.store_index();
        compare_shares(made, seed + 1000);
        made.store_index(); // as after a first attempt that was killed
        compare_shares(made, seed + 2000);
    }
}

TEST_CASE("slots of time without a core get wider until there are few enough", "[lod]") {
    NoCoreSums sums{1000};
    constexpr GlobalTime units_a_ms = 8'000'000;
    double all = 0;
    for (GlobalTime i = 100'000; i > 0; --i) {
        sums.add(i * units_a_ms, (i + 1) * units_a_ms, 0.25);
        all += 0.25 * units_a_ms;
    }
    const std::vector<NoCoreLevel> levels = sums.take();
    REQUIRE(levels.size() > 1);
    CHECK(levels.front().sums.size() <= 1001);
    CHECK(levels.front().sums.size() > 200); // slots of a quarter of this width would be too many
    for (std::size_t i = 0; i < levels.size(); ++i) {
        CHECK(levels[i].width_bits == levels[0].width_bits + 2 * i);
        CHECK(time_of(levels[i].sums) == Approx(all));
        CHECK(std::ranges::is_sorted(levels[i].sums, {}, &NoCoreSum::slot));
    }
    // A time as long as a day is not taken apart into a billion slots first.
    NoCoreSums day{1000};
    day.add(0, 86'400'000 * units_a_ms, 0.5);
    const std::vector<NoCoreLevel> of_day = day.take();
    REQUIRE(!of_day.empty());
    CHECK(of_day.front().sums.size() <= 1001);
    CHECK(time_of(of_day.front().sums) == Approx(0.5 * 86'400'000 * units_a_ms));
    CHECK(NoCoreSums{10}.take().empty());
}

TEST_CASE("damaged sums of time without a core are refused, or sane", "[lod]") {
    std::mt19937_64 random{1};
    std::size_t refused = 0;
    for (int i = 0; i < 2000; ++i) {
        NoCoreSums sums{40};
        for (GlobalTime at = 100; at > -20; --at)
            if (random() % 3 != 0)
                sums.add(at * 10'000'000, at * 10'000'000 + 9'000'000, static_cast<double>(random() % 100) / 100);
        const NoCoreLevel level = sums.take().front();
        Bytes bytes = encode(level.sums);
        const auto whole = decode_no_core(bytes, level.width_bits);
        REQUIRE(whole);
        CHECK(*whole == level.sums);
        bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        const auto back = decode_no_core(bytes, level.width_bits);
        if (!back) ++refused;
        for (const NoCoreSum& sum : back ? *back : std::vector<NoCoreSum>{})
            CHECK((sum.time >= 0 && sum.time <= GlobalTime{1} << level.width_bits));
        if (back) CHECK(std::ranges::adjacent_find(*back, std::greater_equal{}, &NoCoreSum::slot) == back->end());
    }
    CHECK(refused > 100);
}

TEST_CASE("tactus timeline says for programs where threads had no core", "[lod]") {
    const MadeStretches made{3, 60};
    const auto json =
        nlohmann::json::parse(run_tactus("timeline " + made.path + " --json --pixels 64 --rows threads").output);
    REQUIRE(json["rows"].size() == 4);
    for (std::size_t line = 0; line < 4; ++line) {
        double expected_s = 0;
        for (const Without& without : made.known)
            if (without.line == line)
                expected_s += 1e-9 * without.share * static_cast<double>(without.to - without.from);
        double shown_s = 0;
        for (const auto& slot : json["rows"][line]["without_core"])
            shown_s += slot["share"].get<double>() * json["slot_s"].get<double>();
        CHECK(shown_s == Approx(expected_s).margin(1e-6));
    }
    CHECK(json["rows"][3]["without_core"].empty());
    CHECK(!json["rows"][0]["without_core"].empty());
}

} // namespace tactus
