// Compares the waits of simulated runs with what the simulation knows: who was the last to give what a call took.
#include "postproc/finish/finish.hpp"
#include "postproc/replay/wire.hpp"
#include "postproc/waits/locks.hpp"
#include "postproc/waits/run_waits.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/random_run.hpp"
#include "tests/unit/made/run_tactus.hpp"
#include "tests/unit/postproc/waits/made_by_hand.hpp"
#include "trace/lane_walk.hpp"
#include "trace/run_ends.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

using namespace tactus;

namespace {

struct Waited {
    GlobalTime total = 0;
    std::uint64_t count = 0;
    bool operator==(const Waited&) const = default;
};
using ByPair = std::map<std::pair<std::uint32_t, std::uint32_t>, Waited>; // by victim and causer

// For each call that took something: who gave the latest of what it took. If two gave at the same time, the lower rank
// counts.
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
        Latest& known = at->second;
        if (!fresh && (given > known.given || (given == known.given && need.giver < known.giver)))
            known = {given, need.giver};
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
            if (row.kind == WaitKind::late_receiver) continue; // sends do not wait in the simulation
            Waited& waited = waits[{row.victim, row.causer}];
            waited.total += row.total;
            waited.count += row.count;
        }
    return waits;
}

} // namespace

TEST_CASE("waits are those of the graph of events", "[waits]") {
    std::uint64_t all = 0;
    for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
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
    CHECK(all > seeds(60));
}

TEST_CASE("a run that is replayed says of waits what was found when it was finished", "[waits]") {
    std::uint64_t indirect = 0;
    for (std::uint64_t seed = 1; seed <= seeds(60); ++seed) {
        const RandomRun run = random_run(seed, 0);
        const TestFolder folder;
        const std::string path = (folder.path() / "app.tactus").string();
        write_trace(path, run.ranks);
        REQUIRE(run_tactus("finish " + path).status == 0);
        const auto trace = Trace::open(path);
        REQUIRE(trace);
        const auto stored = waits_of(*trace, {.wanted = false, .network = {}});
        const auto replayed = waits_of(*trace, {.wanted = true, .network = Network{.latency_s = 1e-6}});
        INFO("seed " << seed);
        REQUIRE(stored);
        REQUIRE(replayed);
        CHECK(replayed->replayed);
        CHECK_FALSE(stored->replayed);
        REQUIRE(replayed->groups.size() == stored->groups.size());
        double waited = 0;
        for (std::size_t i = 0; i < stored->groups.size(); ++i) {
            const WaitGroup& a = stored->groups[i];
            const WaitGroup& b = replayed->groups[i];
            CHECK(std::tuple{a.kind, a.victim, a.causer, a.count, a.seconds, a.longest_s} ==
                  std::tuple{b.kind, b.victim, b.causer, b.count, b.seconds, b.longest_s});
            CHECK(b.indirect_s <= b.seconds * (1 + 1e-9));
            indirect += b.indirect_s > 0 ? 1 : 0;
            waited += b.seconds;
        }
        // Each second of waiting has one root, and the critical path is on one rank at a time.
        double of_roots = 0;
        for (const WaitRoot& root : replayed->roots) of_roots += root.seconds();
        CHECK(of_roots == Approx(waited).margin(1e-12));
        CHECK(replayed->path_s <= replayed->wall_s * (1 + 1e-9));
        double computed = 0;
        for (const WaitingRank& rank : replayed->ranks) {
            CHECK(rank.path_computed_s <= rank.path_s * (1 + 1e-9));
            computed += rank.path_computed_s;
        }
        if (replayed->efficiency) {
            const double ideal = replayed->efficiency->transfer * replayed->wall_s;
            CHECK(ideal <= replayed->wall_s * (1 + 1e-9));
            CHECK(*replayed->network_s >= ideal * (1 - 1e-9));
        }
    }
    CHECK(indirect > seeds(60));
}

TEST_CASE("what a wait comes from is found along the chain, and the critical path with it", "[waits]") {
    const TestFolder folder;
    const std::string path = chain(folder);
    REQUIRE(run_tactus("finish " + path).status == 0);
    const auto trace = Trace::open(path);
    REQUIRE(trace);
    const auto waits = waits_of(*trace, {});
    REQUIRE(waits);
    REQUIRE(waits->groups.size() == 3);
    // Both 50 us; after them come the waits at MPI_Finalize.
    CHECK(waits->groups[0].victim + waits->groups[1].victim == 3);
    CHECK(waits->groups[0].seconds == Approx(50e-6));
    CHECK(waits->groups[1].seconds == Approx(50e-6));
    CHECK(waits->groups[2].kind == WaitKind::finalize);
    CHECK(waits->groups[2].victims.size() == 2);
    CHECK(waits->groups[2].seconds == Approx(20e-6));
    for (const WaitGroup& group : waits->groups) {
        if (group.kind != WaitKind::late_sender) continue;
        // Without its own wait of 50 us, rank 1 would have sent at 20 us, and nobody would have waited for it.
        CHECK(group.indirect_s == Approx(group.victim == 2 ? 50e-6 : 0));
        CHECK(waits->roots[group.root.value()].rank == 0);
    }
    // Rank 2 waited for rank 1 equally long before it made both others wait, so that also comes from rank 0.
    CHECK(waits->roots[0].rank == 0);
    CHECK(waits->roots[0].direct_s == Approx(50e-6));
    CHECK(waits->ranks[0].root_s + waits->ranks[1].root_s + waits->ranks[2].root_s == Approx(120e-6));
    // Backward: rank 2 until it got its message, rank 1 until it got its own, then rank 0 to the beginning.
    CHECK(waits->ranks[2].path_s == Approx(20e-6));
    CHECK(waits->ranks[1].path_s == Approx(10e-6));
    CHECK(waits->ranks[0].path_s == Approx(60e-6));
    CHECK(waits->path_s == Approx(90e-6));
    CHECK(waits->ranks[0].path_computed_s == Approx(60e-6));
    CHECK(waits->path_changes == 2);
}

TEST_CASE("what a causer waited before it met its victim last is no cause", "[waits]") {
    RunByHand run{2};
    // Rank 1 waits for rank 0, and then computes. Then rank 0 waits for rank 1 in a collective.
    run.add(0, made_message(Function::Send, 10'100, 10'200, 1, 7, 8));
    run.add(1, made_message(Function::Recv, 200, 10'600, 0, 7, 8));
    run.add(0, made_call(Function::Barrier, 11'000, 16'100));
    run.add(1, made_call(Function::Barrier, 15'600, 16'000));
    for (std::uint32_t rank = 0; rank < 2; ++rank) run.add(rank, made_call(Function::Finalize, 20'100, 20'200));
    const RunWaits waits = run.waits();
    REQUIRE(waits.groups.size() == 2);
    const WaitGroup& barrier = waits.groups[1];
    CHECK(barrier.kind == WaitKind::barrier);
    CHECK(barrier.seconds == Approx(4.6e-6));
    CHECK(barrier.indirect_s == 0);
    CHECK(waits.roots[barrier.root.value()].rank == 1);
}

TEST_CASE("a call that completes a send beside a receive waits for what it receives alone", "[waits]") {
    // Rank 1 receives from rank 0 at 4 us. Then it sends to rank 0 at 4.2 us, or rank 0 receives from MPI_PROC_NULL.
    const auto kinds = [](bool receives) {
        RunByHand run{2};
        // As quick as rank 1's message, so that the clocks stay.
        run.add(0, made_message(Function::Send, 110, 120, 1, 6, 8));
        run.add(1, made_message(Function::Recv, 130, 410, 0, 6, 8));
        MadeRecord sent = made_message(Function::Isend, 200, 210, 1, 7, 8);
        sent.record.request = 1;
        sent.record.what.flags = flag::starts;
        run.add(0, std::move(sent));
        MadeRecord posted = made_message(Function::Irecv, 220, 230, receives ? 1 : peer::proc_null, 7, 8);
        posted.record.request = 2;
        posted.record.what.flags = flag::starts;
        run.add(0, std::move(posted));
        MadeRecord wait = made_call(Function::Waitall, 240, 4'500);
        wait.words.resize(4);
        Completion{.request = 1}.put(wait.words.data());
        Completion{.request = 2, .received = true, .bytes = 8, .source = receives ? 1 : peer::proc_null, .tag = 7}.put(
            wait.words.data() + 1);
        run.add(0, std::move(wait));
        run.add(1, made_message(Function::Recv, 4'000, 4'100, 0, 7, 8));
        if (receives) run.add(1, made_message(Function::Send, 4'200, 4'300, 0, 7, 8));
        for (std::uint32_t rank = 0; rank < 2; ++rank) run.add(rank, made_call(Function::Finalize, 5'000, 5'100));
        const RunWaits waits = run.waits();
        std::vector<std::pair<WaitKind, double>> all;
        for (const WaitGroup& group : waits.groups) all.emplace_back(group.kind, group.seconds);
        return all;
    };
    const auto both = kinds(true);
    REQUIRE(both.size() == 1);
    CHECK(both[0].first == WaitKind::late_sender);
    CHECK(both[0].second == Approx(3.96e-6));
    const auto send_alone = kinds(false);
    REQUIRE(send_alone.size() == 1);
    CHECK(send_alone[0].first == WaitKind::late_receiver);
    CHECK(send_alone[0].second == Approx(3.76e-6));
}

TEST_CASE("a program of sessions begins with a communicator of all ranks and ends in MPI_Session_finalize", "[waits]") {
    RunByHand run{2};
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        run.ranks[rank].definitions.comms.front().made_by = Function::Comm_create_from_group;
        MadeRecord begin = made_call(Function::Comm_create_from_group, 400, 500);
        begin.record.what.tag = tag_of_beginning;
        run.ranks[rank].lanes[0].records.front() = made_call(Function::Session_init, 0, 100);
        run.add(rank, begin);
        run.add(rank, made_call(Function::Session_finalize, rank == 0 ? 1'000 : 3'000, rank == 0 ? 1'000 : 3'000));
    }
    const RunWaits waits = run.waits();
    REQUIRE(waits.groups.size() == 1);
    CHECK(waits.groups[0].kind == WaitKind::finalize);
    CHECK(waits.groups[0].victim_function == Function::Session_finalize);
    CHECK(waits.groups[0].seconds == Approx(2e-6));
    CHECK(waits.ranks[0].computed_s == Approx(0.5e-6));
    CHECK(waits.ranks[1].computed_s == Approx(2.5e-6));
}

TEST_CASE("a lock is waited for until it is given back", "[waits]") {
    const auto lock = [](Function function, GlobalTime enter, GlobalTime leave) {
        return LockCall{.window = 5,
                        .target = 2,
                        .unlocks = function == Function::Win_unlock,
                        .enter = enter,
                        .leave = leave,
                        .place = {.address = 1, .function = function}};
    };
    std::vector<RankCalls> calls(3);
    calls[0].locks = {lock(Function::Win_lock, 10, 11), lock(Function::Win_unlock, 50, 52)};
    calls[1].locks = {lock(Function::Win_lock, 20, 55), lock(Function::Win_unlock, 60, 61)}; // waits for rank 0
    // Comes when the lock is free.
    calls[2].locks = {lock(Function::Win_lock, 70, 71), lock(Function::Win_unlock, 80, 81)};
    std::vector<LockWait> waits = lock_waits(calls);
    REQUIRE(waits.size() == 1);
    CHECK(waits[0].victim == 1);
    CHECK(waits[0].causer == 0);
    CHECK(waits[0].enter == 20);
    CHECK(waits[0].given == 50);
    CHECK(waits[0].locked == 11);
    for (LockCall& call : calls[0].locks) call.target = 1; // a different target
    CHECK(lock_waits(calls).empty());
}

TEST_CASE("a persistent collective is what prepared it", "[waits]") {
    RunByHand run{2};
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        MadeRecord prepared = made_call(Function::Barrier_init, 110, 120);
        prepared.record.request = 1;
        prepared.record.what.flags = flag::starts;
        run.add(rank, std::move(prepared));
        const Ticks begin = rank == 0 ? 200 : 4'000;
        MadeRecord start = made_call(Function::Start, begin, begin + 10);
        start.words.resize(Started::words);
        Started{.request = 2, .prepared = 1, .comm = 1, .function = Function::Barrier_init}.put(start.words.data());
        run.add(rank, std::move(start));
        MadeRecord wait = made_call(Function::Wait, begin + 20, 4'500);
        wait.record.request = 2;
        wait.record.what.flags = flag::completes;
        run.add(rank, std::move(wait));
        run.add(rank, made_call(Function::Finalize, 5'000, 5'100));
    }
    const RunWaits waits = run.waits();
    REQUIRE(waits.groups.size() == 1);
    CHECK(waits.groups[0].kind == WaitKind::barrier);
    CHECK(waits.groups[0].seconds == Approx(3.78e-6));
    CHECK(waits.groups[0].causer_function == Function::Barrier_init);
}

namespace {

// Rank 0 receives from 1, then from 2, by the call `receive` at one place, and computes for 20 us after each. It waits
// for the first, while the second is there.
RunByHand fixed_order(Function receive) {
    RunByHand run{3};
    const auto take = [&](Ticks enter, Ticks leave, std::int32_t from) {
        MadeRecord made = made_message(receive, enter, leave, from, 7, 8);
        made.record.what.place = 0x100;
        run.add(0, made);
    };
    take(10'100, 50'600, 1);
    take(70'600, 71'600, 2);
    run.add(1, made_message(Function::Send, 50'100, 50'500, 0, 7, 8));
    run.add(2, made_message(Function::Send, 15'100, 15'500, 0, 7, 8));
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        MadeRecord barrier = made_call(Function::Barrier, 91'600, 91'700);
        run.add(rank, barrier);
        run.add(rank, made_call(Function::Finalize, 92'100, 92'200));
    }
    return run;
}

} // namespace

TEST_CASE("receives in a fixed order cost what could have been done meanwhile", "[waits]") {
    const RunWaits waits = fixed_order(Function::Recv).waits();
    const auto at = std::ranges::find(waits.places, WaitKind::late_sender, &WaitPlace::kind);
    REQUIRE(at != waits.places.end());
    CHECK(at->seconds == Approx(40e-6));
    CHECK(at->fixed_order_s == Approx(20e-6));
    const TestFolder folder;
    const std::string path = fixed_order(Function::Recv).write(folder);
    REQUIRE(run_tactus("finish " + path).status == 0);
    const std::string report = run_tactus("report --json " + path).output;
    INFO(report);
    CHECK(report.find("; rank 0 receives messages in a fixed order (MPI_Recv at 0x100): for up to 21.7 % of the run it "
                      "could have worked on those of other ranks, which had been sent by then") != std::string::npos);
}
