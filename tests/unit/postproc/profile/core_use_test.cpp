// Whether threads had cores, by made readings of the operating system.
#include "postproc/profile/core_use.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <stdexcept>

using namespace tactus;

namespace {

constexpr std::int64_t s = 1'000'000'000;

OsReading reading(std::int64_t at_s, std::vector<std::int32_t> cpus, std::vector<ThreadTime> threads) {
    OsReading made;
    made.monotonic_ns = at_s * s;
    made.cpus = std::move(cpus);
    made.threads = std::move(threads);
    return made;
}

CoreUse use_of(const std::vector<MadeRank>& ranks) {
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    auto trace = Trace::open((folder.path() / "app.tactus").string());
    if (!trace) throw std::runtime_error{trace.error().line()};
    return core_use(*trace);
}

// Two ranks, each with one thread that ran for `ran_s` of ten seconds and waited for the rest.
std::vector<MadeRank> two_ranks(std::int64_t ran_s, const std::vector<std::int32_t>& cpus) {
    auto ranks = made_ranks(2);
    for (MadeRank& rank : ranks)
        rank.definitions.os_readings = {reading(0, cpus, {{1, 2 * s, s}}),
                                        reading(10, cpus, {{1, (2 + ran_s) * s, (11 - ran_s) * s}})};
    return ranks;
}

} // namespace

TEST_CASE("two busy ranks that may use one core are oversubscribed and share it") {
    const CoreUse use = use_of(two_ranks(5, {3}));
    REQUIRE(use.hosts.size() == 1);
    const HostCores& host = use.hosts.front();
    CHECK(host.ranks == 2);
    CHECK(host.busy_threads == 2);
    CHECK(host.cores == 1);
    CHECK(host.oversubscribed());
    CHECK_FALSE(use_of(two_ranks(10, {3})).oversubscribed()); // both say that they never lacked a core
    REQUIRE(host.shared.size() == 1);
    CHECK(host.shared.front().core == 3);
    CHECK(host.shared.front().ranks == std::vector<std::uint32_t>{0, 1});
    CHECK(use.ran_s() == Approx(10));
    CHECK(use.waited_s() == Approx(10));
    CHECK(use.waited_share() == Approx(0.5));
}

TEST_CASE("two busy ranks on two cores have what they need") {
    const CoreUse use = use_of(two_ranks(10, {0, 1}));
    CHECK(use.hosts.front().cores == 2);
    CHECK_FALSE(use.oversubscribed());
    CHECK(use.hosts.front().shared.empty());
    CHECK(use.waited_share() == 0);
}

TEST_CASE("a limit of the control group counts like cores") {
    auto ranks = two_ranks(7, {0, 1, 2, 3});
    for (MadeRank& rank : ranks) {
        rank.definitions.machines = {{.cpus = 4, .core_limit = 1.5, .memory_bytes = -1}};
        rank.definitions.os_readings.front().throttled_ns = s;
        rank.definitions.os_readings.back().throttled_ns = 4 * s;
    }
    const CoreUse use = use_of(ranks);
    CHECK(use.hosts.front().usable() == 1.5);
    CHECK(use.oversubscribed());
    CHECK(use.hosts.front().throttled_s == Approx(3)); // not once for each rank
}

TEST_CASE("hosts are told apart, and threads that sleep are not busy") {
    auto ranks = two_ranks(10, {0});
    ranks[1].header.boot_id = "another";
    ranks[1].header.host = "b";
    ranks[0].definitions.os_readings.back().threads.push_back({2, s, 0}); // began during the run
    ranks[0].definitions.os_readings.back().threads.push_back({3, 9 * s, 2 * s});
    const CoreUse use = use_of(ranks);
    REQUIRE(use.hosts.size() == 2);
    CHECK(use.hosts[0].busy_threads == 2);
    CHECK(use.hosts[0].oversubscribed());
    CHECK(use.hosts[1].host == "b");
    CHECK_FALSE(use.hosts[1].oversubscribed());
    CHECK(use.hosts[1].shared.empty()); // the core is of another machine
}

TEST_CASE("ranks without both readings are unknown") {
    auto ranks = two_ranks(5, {0});
    ranks[0].definitions.os_readings.pop_back();
    ranks[1].definitions.os_readings.back().threads.clear();
    const CoreUse use = use_of(ranks);
    CHECK(use.unknown == 2);
    CHECK(use.hosts.empty());
    CHECK(use.waited_share() == 0);
    CHECK_FALSE(use.oversubscribed());
}
