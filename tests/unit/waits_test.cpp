// Waits of simulated runs against what the simulation alone says: who gave last what a call took.
#include "postproc/finish/finish.hpp"
#include "postproc/replay/wire.hpp"
#include "postproc/waits/run_waits.hpp"
#include "tests/unit/random_run.hpp"
#include "trace/lane_walk.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

using namespace tactus;

namespace {

struct Waited {
    GlobalTime total = 0;
    std::uint64_t count = 0;
    bool operator==(const Waited&) const = default;
};
using ByPair = std::map<std::pair<std::uint32_t, std::uint32_t>, Waited>; // victim and causer

// Of each call that took something: the latest of what it took, of two at the same time that of the lower rank.
ByPair by_hand(const Trace& trace, const RandomRun& run) {
    std::map<std::pair<std::uint32_t, Ticks>, Ticks> enters; // by rank and leave of a call
    for (const RankFile& file : trace.ranks)
        for (const LaneBlocks& lane : lanes_of(file))
            for (LaneWalk walk{file, lane}; walk.next();)
                if (walk.record().what.kind == Kind::call)
                    enters[{file.header().rank, walk.record().leave}] = walk.record().enter;
    struct Latest {
        GlobalTime given = 0;
        std::uint32_t giver = 0;
    };
    std::map<std::pair<std::uint32_t, Ticks>, Latest> latest;
    for (const Need& need : run.needs) {
        if (need.known) continue;
        const GlobalTime given = trace.ranks[need.giver].clock().at(need.given);
        const auto [at, fresh] = latest.try_emplace({need.taker, need.taken}, Latest{given, need.giver});
        Latest& one = at->second;
        if (!fresh && (given > one.given || (given == one.given && need.giver < one.giver))) one = {given, need.giver};
    }
    ByPair waits;
    for (const auto& [call, last] : latest) {
        const GlobalTime enter = trace.ranks[call.first].clock().at(enters.at(call));
        if (last.given <= enter) continue;
        Waited& waited = waits[{call.first, last.giver}];
        waited.total += last.given - enter;
        ++waited.count;
    }
    return waits;
}

ByPair found(const Finished& finished) {
    ByPair waits;
    for (const RankWaits& rank : finished.waits)
        for (const WaitRow& row : rank.rows) {
            if (row.kind == WaitKind::late_receiver) continue; // the simulation's sends do not wait
            Waited& waited = waits[{row.victim, row.causer}];
            waited.total += row.total;
            waited.count += row.count;
        }
    return waits;
}

} // namespace

TEST_CASE("waits are those of the graph of events", "[waits]") {
    std::uint64_t all = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const RandomRun run = random_run(seed, 0);
        const TestFolder folder;
        const std::string path = (folder.path() / "app.tactus").string();
        write_trace(path, run.ranks);
        const auto trace = Trace::open(path);
        REQUIRE(trace);
        LonelyWire wire;
        FinishOptions options;
        options.refine = options.correct = false;
        const Finished finished = finish(*trace, wire, options, [](const char*) {});
        INFO("seed " << seed);
        REQUIRE(finished.done);
        const ByPair wanted = by_hand(*trace, run);
        CHECK(found(finished) == wanted);
        all += wanted.size();
    }
    CHECK(all > 100);
}

namespace {

// Rank 1 computes for 60 us of 100 while rank 0 waits for what it sends; then both leave.
std::string late_sender(const TestFolder& folder) {
    auto ranks = made_ranks(2);
    for (MadeRank& rank : ranks) rank.lanes.resize(1);
    const auto add = [&](std::uint32_t rank, MadeRecord made) {
        made.record.what.comm = 1;
        ranks[rank].lanes[0].records.push_back(std::move(made));
    };
    for (std::uint32_t rank = 0; rank < 2; ++rank) add(rank, made_call(Function::Init, 0, 100));
    add(0, made_message(Function::Recv, 10'100, 70'600, 1, 7, 8));
    add(1, made_message(Function::Send, 70'100, 70'500, 0, 7, 8));
    for (std::uint32_t rank = 0; rank < 2; ++rank) add(rank, made_call(Function::Finalize, 100'100, 100'200));
    std::string path = (folder.path() / "app.tactus").string();
    write_trace(path, ranks);
    return path;
}

} // namespace

TEST_CASE("check keeps to its limits, once the trace is finished", "[waits]") {
    const TestFolder folder;
    const std::string path = late_sender(folder);
    const CommandOutcome before = run_tactus("check " + path + " --max-wait 10%");
    CHECK(before.status == 1);
    CHECK(before.errors.find("`tactus finish` finds them") != std::string::npos);
    REQUIRE(run_tactus("finish " + path).status == 0);
    const CommandOutcome within = run_tactus("check " + path + " --max-wait 31% --min-efficiency 0.65");
    CHECK(within.status == 0);
    CHECK(within.output.find("waits take 30.0 % of the ranks' time, at most 31.0 % are allowed") != std::string::npos);
    CHECK(within.output.find("rank 0 waits in MPI_Recv for rank 1, which sends late (MPI_Send)") != std::string::npos);
    const CommandOutcome beyond = run_tactus("check " + path + " --max-wait 0.29 --min-efficiency 90%");
    CHECK(beyond.status == 3);
    CHECK(beyond.output.find("exceeded waits take") != std::string::npos);
    CHECK(beyond.output.find("exceeded efficiency") != std::string::npos);
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
    // Of 100 us rank 0 computes 10 and 29.5, rank 1 70 and 29.6; on an ideal network rank 0 gets the message at 70 us.
    CHECK(waits->efficiency->load_balance == Approx((39.5 + 99.6) / 2 / 99.6));
    CHECK(waits->efficiency->serialisation == Approx(99.6 / 99.6));
    CHECK(waits->efficiency->transfer == Approx(99.6 / 100));
    CHECK(waits->ranks[0].waited_s == Approx(60e-6));
    CHECK(waits->ranks[1].caused_s == Approx(60e-6));
}
