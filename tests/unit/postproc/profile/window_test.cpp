// Compares profiles of windows with the rules themselves, tick by tick, and adjacent windows with the whole.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/random_lanes.hpp"
#include "tests/unit/made/random_run.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "tests/unit/postproc/profile/window_by_ticks.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace tactus {
namespace {

using Random = std::mt19937_64;

struct Written {
    TestFolder folder;
    std::string path = (folder.path() / "app.tactus").string();
    std::vector<MadeRank> ranks;
    std::optional<Trace> trace;

    explicit Written(std::vector<MadeRank> made) : ranks{std::move(made)} {
        write_trace(path, ranks);
        auto opened = Trace::open(path);
        REQUIRE(opened);
        trace = std::move(*opened);
    }
};

// Calls of several places that move something, counters, and rounds of clock measurements.
std::vector<MadeRank> some_ranks(std::uint64_t seed) {
    Random random{seed};
    auto ranks = random_lanes(seed, {.ranks = 3,
                                     .lanes = 1 + static_cast<std::uint32_t>(seed % 3),
                                     .steps = 150,
                                     .longest = seed % 2 == 0 ? 5000 : 30});
    for (MadeRank& rank : ranks) {
        rank.definitions.counters = {{.number = 1, .name = "a:counter", .unit = "m"}};
        for (MadeLane& lane : rank.lanes) {
            if (seed % 4 == 0) lane.records_a_block = 1;
            for (MadeRecord& made : lane.records) {
                Signature& what = made.record.what;
                if (what.kind == Kind::comment && random() % 2 == 0) {
                    what.kind = Kind::counter;
                    what.type = 1;
                    what.bytes = random() % 100;
                } else if (what.kind == Kind::stall) {
                    what.kind = Kind::sync;
                    what.type = static_cast<std::uint32_t>(random() % 2 == 0 ? RoundReason::init : RoundReason::period);
                } else if (what.kind == Kind::call) {
                    what.place = 0x1000 + 0x10 * (random() % 3);
                    what.comm = 1;
                    if (what.has(flag::repeated)) continue;
                    if (random() % 8 == 0) what.flags |= flag::failed;
                    what.bytes = random() % 1000;
                    if (what.function == Function::Send || what.function == Function::Recv)
                        what.peer = static_cast<std::int32_t>(random() % 3);
                }
            }
        }
    }
    return ranks;
}

void check_same(const AllSums& found, const AllSums& expected) {
    CHECK(found.calls == expected.calls);
    CHECK(found.regions == expected.regions);
    CHECK(found.ranks == expected.ranks);
    CHECK(found.counter == expected.counter);
    CHECK(found.comments == expected.comments);
    CHECK(found.messages == expected.messages);
}

// A random time, or one at which something begins or ends.
GlobalTime some_time(Random& random, const Written& written) {
    const std::size_t rank = random() % written.ranks.size();
    const MadeLane& lane = written.ranks[rank].lanes.front();
    const Record& record = lane.records[random() % lane.records.size()].record;
    const GlobalTime time = written.trace->ranks[rank].clock().at(random() % 2 == 0 ? record.leave : record.enter);
    return random() % 2 == 0 ? time : time + static_cast<GlobalTime>(random() % 40'000) - 20'000;
}

void add_up(AllSums& sum, const AllSums& part) {
    for (const auto& [key, added] : part.calls) {
        CallSums& all = sum.calls[key];
        if (added.calls > 0) all.shortest = all.calls == 0 ? added.shortest : std::min(all.shortest, added.shortest);
        all.longest = std::max(all.longest, added.longest);
        all.calls += added.calls;
        all.failed += added.failed;
        all.time += added.time;
        all.sum += added.sum;
        all.sent += added.sent;
        all.received += added.received;
    }
    for (const auto& [name, added] : part.regions) {
        RegionSums& all = sum.regions[name];
        all.count += added.count;
        all.time += added.time;
        all.own += added.own;
        all.mpi += added.mpi;
        all.sum += added.sum;
        all.longest = std::max(all.longest, added.longest);
    }
    for (const auto& [channel, added] : part.messages) {
        sum.messages[channel].messages += added.messages;
        sum.messages[channel].bytes += added.bytes;
    }
    sum.ranks.resize(part.ranks.size());
    for (std::size_t i = 0; i < part.ranks.size(); ++i) {
        sum.ranks[i].lanes = std::max(sum.ranks[i].lanes, part.ranks[i].lanes);
        sum.ranks[i].wall += part.ranks[i].wall;
        sum.ranks[i].measuring += part.ranks[i].measuring;
        sum.ranks[i].mpi += part.ranks[i].mpi;
    }
    sum.counter.values += part.counter.values;
    sum.counter.sum += part.counter.sum;
    sum.counter.max = std::max(sum.counter.max, part.counter.max);
    sum.comments += part.comments;
}

void check_parts(const Written& written, Random& random) {
    std::vector<GlobalTime> edges;
    for (std::size_t i = random() % 12; i-- > 0;) edges.push_back(some_time(random, written));
    std::sort(edges.begin(), edges.end());
    AllSums sum;
    Window window;
    for (const GlobalTime edge : edges) {
        window.to = edge;
        add_up(sum, sums_of(make_profile(*written.trace, window)));
        window = {.from = edge, .to = {}};
    }
    add_up(sum, sums_of(make_profile(*written.trace, window)));
    AllSums whole = sums_of(make_profile(*written.trace));
    // Where threads do not run all the time, it may be that no window has all of them.
    for (std::size_t i = 0; i < sum.ranks.size(); ++i) {
        CHECK(sum.ranks[i].lanes <= whole.ranks[i].lanes);
        whole.ranks[i].lanes = sum.ranks[i].lanes;
    }
    check_same(sum, whole);
}

} // namespace

TEST_CASE("a window of a random run is what its rules say, tick by tick", "[profile]") {
    for (std::uint64_t seed = 1; seed <= seeds(12); ++seed) {
        const Written written{some_ranks(seed)};
        Random random{seed};
        CAPTURE(seed);
        check_same(sums_of(make_profile(*written.trace)), sums_by_looking(written.ranks, *written.trace, {}));
        for (int i = 0; i < 4; ++i) {
            Window window{some_time(random, written), some_time(random, written)};
            if (*window.to < *window.from) std::swap(window.from, window.to);
            check_same(sums_of(make_profile(*written.trace, window)),
                       sums_by_looking(written.ranks, *written.trace, window));
        }
    }
}

TEST_CASE("windows side by side add up to the whole", "[profile]") {
    for (std::uint64_t seed = 1; seed <= seeds(30); ++seed) {
        Random random{seed};
        CAPTURE(seed);
        check_parts(Written{some_ranks(seed)}, random);
        check_parts(Written{random_run(seed, 20'000).ranks}, random);
    }
}

// MPI_Send from 1 to 2 us, and MPI_Allreduce from 4 to 8 us with MPI_Comm_rank in a callback from 5 to 6 us. Each block
// has one record.
std::vector<MadeRank> three_calls() {
    auto ranks = made_ranks(1);
    MadeRecord nested = made_call(Function::Comm_rank, 5000, 6000);
    nested.record.what.flags = flag::nested;
    ranks[0].lanes = {{.records = {made_message(Function::Send, 1000, 2000, 0, 7, 8), nested,
                                   made_call(Function::Allreduce, 4000, 8000)},
                       .records_a_block = 1}};
    return ranks;
}

Profile between(const Written& written, double from_us, double to_us) {
    const auto time_at = [&](double us) { return add_ns(written.trace->zero, 1e3 * us); };
    return make_profile(*written.trace, {time_at(from_us), time_at(to_us)});
}

const CallStats& stats_of(const Profile& profile, const char* name) {
    for (const FunctionProfile& function : profile.functions)
        if (function.name == name) return function.stats;
    throw std::runtime_error{std::string{name} + " is not in the profile"};
}

TEST_CASE("there is nothing before, behind, and in a window of no time", "[profile]") {
    const Written written{three_calls()};
    for (const auto& [from, to] : {std::pair{-5.0, 0.5}, {-5.0, 1.0}, {8.001, 20.0}, {5.5, 5.5}}) {
        const Profile profile = between(written, from, to);
        CAPTURE(from, to);
        CHECK(profile.functions.empty());
        CHECK(profile.messages.empty());
        REQUIRE(profile.ranks.size() == 1);
        CHECK(profile.ranks[0].lanes == 0);
        CHECK(profile.ranks[0].wall_s == 0);
        CHECK(profile.total_s == 0);
    }
}

TEST_CASE("between two calls a thread runs", "[profile]") {
    const Profile profile = between(Written{three_calls()}, 2.5, 3.5);
    CHECK(profile.functions.empty());
    CHECK(profile.ranks[0].lanes == 1);
    CHECK(profile.ranks[0].wall_s == Approx(1e-6));
    CHECK(profile.ranks[0].other_s() == Approx(1e-6));
}

TEST_CASE("in the middle of a call there are no calls, but time", "[profile]") {
    const Profile profile = between(Written{three_calls()}, 4.5, 5.5);
    CHECK(stats_of(profile, "MPI_Allreduce").calls == 0);
    CHECK(stats_of(profile, "MPI_Allreduce").time_s == Approx(0.5e-6));
    CHECK(stats_of(profile, "MPI_Allreduce").avg_s() == 0);
    CHECK(stats_of(profile, "MPI_Comm_rank").calls == 0);
    CHECK(stats_of(profile, "MPI_Comm_rank").time_s == Approx(0.5e-6));
    CHECK(profile.ranks[0].wall_s == Approx(1e-6));
}

TEST_CASE("what ends when a window begins is in it, what ends when it ends is not", "[profile]") {
    const Written written{three_calls()};
    const Profile from = between(written, 2, 3);
    CHECK(stats_of(from, "MPI_Send").calls == 1);
    CHECK(stats_of(from, "MPI_Send").time_s == 0);
    CHECK(stats_of(from, "MPI_Send").avg_s() == Approx(1e-6));
    REQUIRE(from.messages.size() == 1);
    CHECK(from.messages[0].bytes == 8);
    const Profile to = between(written, 1, 2);
    CHECK(stats_of(to, "MPI_Send").calls == 0);
    CHECK(stats_of(to, "MPI_Send").time_s == Approx(1e-6));
    CHECK(to.messages.empty());
}

TEST_CASE("a call's length is without the calls inside of it, before the window, too", "[profile]") {
    const Profile profile = between(Written{three_calls()}, 7, 9);
    const CallStats& stats = stats_of(profile, "MPI_Allreduce");
    CHECK(stats.calls == 1);
    CHECK(stats.time_s == Approx(1e-6));
    CHECK(stats.min_s == Approx(3e-6));
    CHECK(stats.max_s == Approx(3e-6));
    CHECK(stats.avg_s() == Approx(3e-6));
    CHECK(profile.functions.size() == 1);
}

TEST_CASE("blocks that have nothing of a window are not read", "[profile]") {
    const auto damaged = [](const Written& written, std::size_t block) {
        const RankFile& file = written.trace->ranks[0];
        std::fstream stream{file.path(), std::ios::in | std::ios::out | std::ios::binary};
        stream.seekp(static_cast<std::streamoff>(file.blocks()[block].offset + sizeof(BlockHeader)));
        stream.write("damage", 6);
    };
    const Written first{three_calls()};
    damaged(first, 0);
    CHECK(make_profile(*first.trace).unreadable.size() == 1);
    CHECK(between(first, 2.5, 9).unreadable.empty());
    CHECK(between(first, 0, 1).unreadable.empty());
    CHECK(between(first, 0, 2).unreadable.size() == 1);
    const Written last{three_calls()};
    damaged(last, 2);
    CHECK(between(last, 0, 4).unreadable.empty());
    CHECK(between(last, 0, 5).unreadable.size() == 1);
}

TEST_CASE("pieces of a record are not joined over blocks that are left out", "[profile]") {
    auto ranks = made_ranks(1);
    const auto completes = [](Ticks enter, Ticks leave, std::uint64_t bytes) {
        MadeRecord made = made_call(Function::Waitall, enter, leave);
        made.record.what.comm = 1;
        std::int64_t words[Completion::most_words];
        const Completion done{1, true, bytes, 0, 7};
        made.words.assign(words, words + done.put(words));
        return made;
    };
    MadeRecord piece = completes(5000, 6000, 20);
    piece.record.what.kind = Kind::more;
    MadeRecord region = made_call(Function{}, 500, 9000);
    region.record.what.kind = Kind::region;
    region.record.what.type = 1;
    ranks[0].definitions.symbols = {{.number = 1, .name = "a:b"}};
    // The blocks are: a call; another call, whose last piece is in a third block, together with the region around all.
    ranks[0].lanes = {{.records = {made_call(Function::Wtime, 600, 700), completes(1000, 2000, 1),
                                   made_call(Function::Wtime, 3000, 3500), completes(5000, 6000, 10), piece, region},
                       .records_a_block = 2}};
    const Written written{std::move(ranks)};
    CHECK(between(written, 0, 2.5).all.received_bytes == 1);
    CHECK(between(written, 2.5, 9).all.received_bytes == 30);
    CHECK(make_profile(*written.trace).all.received_bytes == 31);
}

TEST_CASE("tactus report of a window", "[profile]") {
    const Written written{three_calls()};
    const std::string report = "report " + written.path + " --from 0.0000045 --to 0.0000055";
    const CommandOutcome text = run_tactus(report);
    CHECK(text.status == 0);
    CHECK(text.errors.empty());
    CHECK_THAT(text.output, Contains("only what lies between 4.5e-06 s and 5.5e-06 s: 1.000 us of the run's 7.000 us"));
    CHECK_THAT(text.output, Contains("Losses (of the whole run)"));
    CHECK_THAT(text.output, !Contains("Waits") && !Contains("Without the tracer") && !Contains("inf"));
    const auto json = nlohmann::json::parse(run_tactus(report + " --json").output);
    CHECK(json["window"]["from_s"].get<double>() == Approx(4.5e-6));
    CHECK(json["window"]["to_s"].get<double>() == Approx(5.5e-6));
    CHECK(json["calls"] == 0);
    CHECK(json["mpi_s"].get<double>() == Approx(1e-6));
    CHECK(json["functions"].size() == 2);
    CHECK(json["functions"][0]["min_s"] == 0);
    CHECK(!json.contains("waits"));
    CHECK(!json.contains("compensated"));
    const auto from = nlohmann::json::parse(run_tactus("report " + written.path + " --json --from 0.000003").output);
    CHECK(from["window"]["to_s"].get<double>() == Approx(8e-6)); // the end of the run, which the window includes
    CHECK(from["calls"] == 2);
    CHECK(!nlohmann::json::parse(run_tactus("report " + written.path + " --json").output).contains("window"));
}

TEST_CASE("tactus report refuses windows without time, and questions about the whole run", "[profile]") {
    const Written written{three_calls()};
    for (const std::string command : {"report ", "timeline "}) {
        const CommandOutcome outcome = run_tactus(command + written.path + " --from 2 --to 2");
        CHECK(outcome.status == 2);
        CHECK(outcome.errors == "tactus: there is nothing between --from and --to\n");
    }
    for (const std::string question : {"--latency 1us", "--bandwidth 1GB", "--time compensated"}) {
        const CommandOutcome outcome = run_tactus("report " + written.path + " --to 1 " + question);
        CHECK(outcome.status == 2);
        CHECK_THAT(outcome.errors, Contains("the whole run"));
    }
    CHECK(run_tactus("report " + written.path + " --from 0 --time corrected").status == 0);
}

} // namespace tactus
