// The ranks that a definition names, by the rule itself: every rank of every run, one after the other.
#include "postproc/replay/collective_groups.hpp"
#include "tests/unit/made/catch.hpp"

#include <algorithm>
#include <limits>
#include <random>

namespace tactus {
namespace {

std::optional<std::vector<std::uint32_t>> by_rule(const std::vector<RankRun>& runs, std::int64_t most) {
    std::vector<std::uint32_t> ranks;
    for (const RankRun& run : runs)
        for (std::int64_t i = 0; i < run.count; ++i) {
            const std::int64_t rank = run.first + i * run.stride;
            if (rank < 0 || rank >= most || static_cast<std::int64_t>(ranks.size()) == most) return {};
            ranks.push_back(static_cast<std::uint32_t>(rank));
        }
    return ranks;
}

} // namespace

TEST_CASE("the named ranks are those of the runs", "[replay]") {
    std::mt19937_64 random{1};
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    std::size_t good = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::vector<RankRun> runs(random() % 4);
        for (RankRun& run : runs) run = {between(-1, 12), between(-1, 5), between(-3, 3)};
        const std::int64_t most = between(1, 16);
        const auto expected = by_rule(runs, most);
        const auto listed = list_of_ranks(runs, static_cast<std::uint64_t>(most));
        const auto named = named_ranks(runs, static_cast<std::uint64_t>(most));
        REQUIRE(listed == expected);
        REQUIRE(named.has_value() == expected.has_value());
        if (!named) continue;
        ++good;
        REQUIRE(named->count == expected->size());
        REQUIRE(named->lowest == (expected->empty() ? UINT32_MAX : *std::ranges::min_element(*expected)));
    }
    CHECK(good > 1000);
}

TEST_CASE("a definition of a damaged file names no ranks", "[replay]") {
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    for (const RankRun& run : {RankRun{0, huge, 1}, RankRun{1, 2, huge}, RankRun{huge, 3, huge}, RankRun{5, 3, -huge}})
        CHECK_FALSE(named_ranks({run}, 1 << 22));
    CHECK(named_ranks({{7, 1, huge}}, 8)->lowest == 7);
}

} // namespace tactus
