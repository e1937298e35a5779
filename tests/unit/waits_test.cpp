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
