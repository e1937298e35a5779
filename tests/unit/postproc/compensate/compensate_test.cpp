// Small traces in which every call cost the tracer 100 ns before it began, and the delays that follow from that.
#include "postproc/compensate/compensated_run.hpp"
#include "postproc/compensate/delay_lines.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/random_run.hpp"
#include "trace/run_ends.hpp"

#include <map>
#include <mutex>

using namespace tactus;

namespace {

constexpr double call_ns = 100;

// Delays at the ends of calls, by rank and enter of the call.
using Delays = std::map<std::pair<std::uint32_t, Ticks>, double>;

struct Compensated {
    Delays at_leave;
    Compensation facts;
    [[nodiscard]] double after(std::uint32_t rank, Ticks enter) const { return at_leave.at({rank, enter}); }
};

std::vector<MadeRank> ranks_with(const std::vector<std::vector<MadeRecord>>& records) {
    auto ranks = made_ranks(static_cast<std::uint32_t>(records.size()));
    for (std::size_t i = 0; i < records.size(); ++i) {
        ranks[i].definitions.costs = {{.call = call_ns}};
        ranks[i].lanes = {{.number = 0, .records = records[i]}};
    }
    return ranks;
}

Compensated compensated(const std::vector<MadeRank>& ranks, DelaySource source = DelaySource::computed,
                        std::uint32_t threads = 1) {
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    const auto trace = Trace::open((folder.path() / "app.tactus").string());
    REQUIRE(trace);
    Compensated result;
    std::mutex taking;
    const auto take = [&](const Delayed& delayed) {
        const std::scoped_lock hold{taking};
        result.at_leave[{trace->ranks[delayed.rank].header().rank, delayed.record.enter - made_start}] =
            delayed.at_leave;
    };
    result.facts = *compensate(*trace, source, take, threads);
    return result;
}

MadeRecord local(Ticks enter) { return made_call(Function::Comm_rank, enter, enter + 1); }
MadeRecord send(Ticks enter, std::int32_t to) { return made_message(Function::Send, enter, enter + 10, to, 1, 8); }
MadeRecord receive(Ticks enter, Ticks leave, std::int32_t from) {
    return made_message(Function::Recv, enter, leave, from, 1, 8);
}
MadeRecord collective(Function function, Ticks enter, Ticks leave, std::int32_t root = peer::none) {
    MadeRecord made = made_call(function, enter, leave);
    made.record.what.comm = 1;
    made.record.what.peer = root;
    made.record.what.bytes = 8; // nobody waits for a rank that brings nothing
    return made;
}

} // namespace

TEST_CASE("every call adds what it costs") {
    const Compensated run = compensated(ranks_with({{local(1000), local(2000), local(3000)}}));
    CHECK(run.after(0, 1000) == Approx(100));
    CHECK(run.after(0, 3000) == Approx(300));
}

TEST_CASE("of equal calls in a row the first two cost what others do") {
    const auto row_of = [](Function function) {
        MadeRecord row = made_call(function, 1000, 2000);
        row.record.what.flags = flag::repeated;
        row.record.request = 12;
        row.record.what.bytes = 500;
        auto ranks = ranks_with({{row}});
        ranks[0].definitions.costs[0].repeated = 7;
        return ranks;
    };
    CHECK(compensated(row_of(Function::Comm_rank)).after(0, 1000) == Approx(2 * call_ns + 10 * 7));
    CHECK(compensated(row_of(Function::Iprobe)).after(0, 1000) == Approx(12 * call_ns)); // unsuccessful
}

TEST_CASE("the end of the call at which the recording begins is where delays begin") {
    MadeRecord begin = made_call(GENERATE(Function::Init, Function::Comm_create_from_group), 1000, 2000);
    if (begin.record.what.function != Function::Init) begin.record.what.tag = tag_of_beginning;
    const Compensated run = compensated(ranks_with({{local(500), begin, local(3000)}}));
    CHECK(run.after(0, 1000) == 0);
    CHECK(run.after(0, 3000) == Approx(100));
}

TEST_CASE("a receiver that waited is as late as its sender") {
    // There are four calls before the send, so it is 500 late. The receiver itself is 100 late.
    const Compensated run = compensated(ranks_with(
        {{local(1000), local(1200), local(1400), local(1600), send(2000, 1)}, {receive(500, 2400, 0), local(3000)}}));
    CHECK(run.after(1, 500) == Approx(500));
    CHECK(run.after(1, 3000) == Approx(600));
    CHECK(run.facts.all.messages == 1);
}

TEST_CASE("a message that was there early changes nothing") {
    // The first message shows that a message takes 100.
    const Compensated run = compensated(ranks_with(
        {{send(1000, 1), send(2000, 1)}, {receive(900, 1100, 0), local(3000), local(4000), receive(5000, 5010, 0)}}));
    CHECK(run.after(1, 900) == Approx(100));
    CHECK(run.after(1, 5000) == Approx(400));
}

TEST_CASE("without the tracer it would have waited") {
    // The message arrived 50 before the receiver waited for it. The receiver is 700 late, and the sender 200.
    std::vector<MadeRecord> receiver = {receive(900, 1100, 0)};
    for (Ticks tick = 1200; tick < 2200; tick += 200) receiver.push_back(local(tick));
    receiver.push_back(receive(2150, 2160, 0));
    const Compensated run = compensated(ranks_with({{send(1000, 1), send(2000, 1)}, receiver}));
    CHECK(run.after(1, 900) == Approx(100));
    CHECK(run.after(1, 2150) == Approx(2150 - (2100 - 200)));
}

TEST_CASE("a receive that is completed by MPI_Waitall takes the last message") {
    MadeRecord first = receive(400, 410, 0);
    first.record.what.function = Function::Irecv;
    first.record.what.flags = flag::starts;
    first.record.request = 1;
    MadeRecord second = first;
    second.record.enter += 100;
    second.record.leave += 100;
    second.record.what.peer = 2;
    second.record.request = 2;
    MadeRecord wait = made_call(Function::Waitall, 600, 3000);
    wait.words.resize(6);
    Completion{.request = 1, .received = true, .bytes = 8, .source = 0, .tag = 1}.put(wait.words.data());
    Completion{.request = 2, .received = true, .bytes = 8, .source = 2, .tag = 1}.put(wait.words.data() + 3);
    const Compensated run = compensated(
        ranks_with({{send(1000, 1)}, {first, second, wait}, {local(500), local(700), local(900), send(2000, 1)}}));
    // A message of rank 2 takes 1000, and one of rank 0 takes 2000. Both arrived at 3000, and rank 0's is less late.
    CHECK(run.after(1, 600) == Approx(100));
    CHECK(run.facts.all.messages == 2);
}

TEST_CASE("collectives") {
    const std::vector<MadeRecord> late = {local(1000), local(1200), local(1400)};
    const auto then = [](std::vector<MadeRecord> records, const MadeRecord& next) {
        records.push_back(next);
        return records;
    };
    SECTION("everybody waits for the last") {
        const Compensated run = compensated(ranks_with({{collective(Function::Allreduce, 500, 2100)},
                                                        then(late, collective(Function::Allreduce, 2000, 2100)),
                                                        {collective(Function::Allreduce, 700, 2100)}}));
        // The last member would have come at 1600.
        for (const std::uint32_t rank : {0U, 1U, 2U}) {
            const Ticks enter[] = {500, 2000, 700};
            CHECK(run.after(rank, enter[rank]) == Approx(400));
        }
        CHECK(run.facts.all.collectives == 3);
    }
    SECTION("another one would have been the last") {
        const Compensated run = compensated(ranks_with(
            {{collective(Function::Barrier, 1900, 2100)}, then(late, collective(Function::Barrier, 2000, 2100))}));
        CHECK(run.after(0, 1900) == Approx(200)); // 2000 - max(1800, 1600)
        CHECK(run.after(1, 2000) == Approx(200));
    }
    SECTION("a broadcast waits for its root only") {
        const Compensated run = compensated(ranks_with({{collective(Function::Bcast, 500, 2100, 1)},
                                                        then(late, collective(Function::Bcast, 2000, 2010, 1)),
                                                        {collective(Function::Bcast, 2500, 2600, 1)}}));
        CHECK(run.after(0, 500) == Approx(400));
        CHECK(run.after(1, 2000) == Approx(400));
        CHECK(run.after(2, 2500) == Approx(100));
    }
    SECTION("a reduction's root waits for all, the others for nobody") {
        const Compensated run = compensated(ranks_with({{collective(Function::Reduce, 500, 2100, 0)},
                                                        then(late, collective(Function::Reduce, 2000, 2010, 0)),
                                                        {collective(Function::Reduce, 700, 710, 0)}}));
        CHECK(run.after(0, 500) == Approx(400));
        CHECK(run.after(2, 700) == Approx(100));
    }
    SECTION("a scan waits for lower ranks") {
        const Compensated run = compensated(ranks_with({{collective(Function::Scan, 500, 510)},
                                                        then(late, collective(Function::Scan, 2000, 2010)),
                                                        {collective(Function::Scan, 700, 2100)}}));
        CHECK(run.after(0, 500) == Approx(100));
        CHECK(run.after(2, 700) == Approx(400));
    }
    SECTION("one that not all members made is left alone") {
        const Compensated run =
            compensated(ranks_with({{collective(Function::Barrier, 500, 2100)}, {local(600), local(700)}}));
        CHECK(run.after(0, 500) == Approx(100));
        CHECK(run.facts.unknown == 1);
    }
    SECTION("a begun one is waited for where it completes") {
        MadeRecord begin = collective(Function::Ibarrier, 500, 510);
        begin.record.what.flags = flag::starts;
        begin.record.request = 5;
        MadeRecord wait = made_call(Function::Wait, 600, 2100);
        wait.record.what.flags = flag::completes;
        wait.record.request = 5;
        const Compensated run =
            compensated(ranks_with({{begin, wait}, then(late, collective(Function::Barrier, 2000, 2100))}));
        CHECK(run.after(0, 600) == Approx(400));
    }
}

TEST_CASE("a trace that cannot be ends all the same") {
    SECTION("everybody waits for what the other sends later") {
        std::vector<std::vector<MadeRecord>> both(2);
        for (std::int32_t rank = 0; rank < 2; ++rank)
            for (Ticks tick = 1000; tick < 100'000; tick += 1000) {
                both[static_cast<std::size_t>(rank)].push_back(receive(tick, tick + 10, 1 - rank));
                both[static_cast<std::size_t>(rank)].push_back(send(tick + 500, 1 - rank));
            }
        const Compensated run = compensated(ranks_with(both));
        CHECK(run.facts.unknown > 0);
        CHECK(run.facts.all.messages == 2 * 99);
    }
    SECTION("two communicators of one identity") {
        auto ranks = ranks_with({{collective(Function::Barrier, 500, 600), collective(Function::Barrier, 700, 800)},
                                 {collective(Function::Barrier, 500, 600), collective(Function::Barrier, 700, 800)}});
        for (MadeRank& rank : ranks) {
            Comm twin = rank.definitions.comms.front();
            twin.number = 3;
            rank.definitions.comms.push_back(twin);
            rank.lanes[0].records[1].record.what.comm = 3;
        }
        CHECK(compensated(ranks).at_leave.size() == 4);
    }
    SECTION("members without number") {
        auto ranks = ranks_with({{collective(Function::Neighbor_allgather, 500, 600)},
                                 {collective(Function::Neighbor_allgather, 500, 600)}});
        for (MadeRank& rank : ranks) {
            rank.definitions.comms.front().sources = {{0, INT64_MAX, 0}, {-7, INT64_MAX, INT64_MAX}};
            rank.definitions.comms.front().members = {{0, INT64_MAX, 1}};
        }
        CHECK(compensated(ranks).facts.unknown == 2);
    }
}

TEST_CASE("several collectives of one MPI_Startall, in a rank of two threads") {
    const auto start = [](Ticks enter) {
        MadeRecord made = made_call(Function::Startall, enter, enter + 10);
        made.words.resize(2 * Started::words);
        for (std::uint64_t i = 0; i < 2; ++i)
            Started{.request = 10 + i, .prepared = i, .comm = 1, .function = Function::Barrier_init}.put(
                made.words.data() + i * Started::words);
        return made;
    };
    const auto wait = [](Ticks enter, Ticks leave) {
        MadeRecord made = made_call(Function::Waitall, enter, leave);
        made.words = {20, 22}; // requests 10 and 11, twice
        return made;
    };
    auto ranks = ranks_with({{start(500), wait(600, 2200)},
                             {local(1000), local(1200), local(1400), start(2000), wait(2100, 2200)},
                             {start(700), wait(800, 2200)}});
    for (MadeRank& rank : ranks) rank.lanes.push_back({.number = 1, .records = {local(100)}});
    const Compensated run = compensated(ranks);
    CHECK(run.after(0, 600) == Approx(400)); // the last one began at 2000, and would have begun at 1600
    CHECK(run.facts.unknown == 0);
}

TEST_CASE("a group of an intercommunicator waits for the other group") {
    const auto barrier = [](Ticks enter) {
        MadeRecord made = collective(Function::Barrier, enter, 2100);
        made.record.what.comm = 3;
        return made;
    };
    auto ranks = ranks_with(
        {{barrier(500)}, {barrier(700)}, {local(1000), local(1200), local(1400), barrier(2000)}, {barrier(800)}});
    for (std::uint32_t i = 0; i < 4; ++i) {
        Comm inter{
            .number = 3, .identity = 50, .my_rank = i % 2, .members = {{0, 2, 1}}, .remote = {{2, 2, 1}}, .name = {}};
        if (i >= 2) std::swap(inter.members, inter.remote);
        ranks[i].definitions.comms.push_back(inter);
    }
    const Compensated run = compensated(ranks);
    CHECK(run.after(0, 500) == Approx(400)); // it waited for rank 2, which is 400 late
    CHECK(run.after(1, 700) == Approx(400));
    CHECK(run.after(2, 2000) == Approx(400));
    CHECK(run.after(3, 800) == Approx(100)); // the others were there
    CHECK(run.facts.all.collectives == 4);
    CHECK(run.facts.unknown == 0);
}

TEST_CASE("a thread that waited for a message of its own process is as late as that thread") {
    auto ranks = ranks_with({{local(1000), local(1200), local(1400), local(1600), send(2000, 0)}, {local(10)}});
    ranks[0].lanes.push_back({.number = 1, .records = {receive(500, 2400, 0), local(3000)}});
    const Compensated run = compensated(ranks);
    CHECK(run.after(0, 500) == Approx(500));
    CHECK(run.after(0, 3000) == Approx(600));
    CHECK(run.facts.all.messages == 1);
}

TEST_CASE("calls inside of a call begin after it") {
    MadeRecord inside = local(1100);
    inside.record.what.flags = flag::nested;
    const Compensated run = compensated(ranks_with(
        {{inside, collective(Function::Allreduce, 1000, 2100)}, {collective(Function::Allreduce, 2000, 2100)}}));
    CHECK(run.after(0, 1100) == Approx(200));
    CHECK(run.after(0, 1000) == Approx(100)); // as late as rank 1
}

TEST_CASE("random runs, whatever the number of threads") {
    for (std::uint64_t seed = 1; seed <= seeds(12); ++seed) {
        RandomRun run = random_run(seed, 0);
        for (MadeRank& rank : run.ranks) rank.definitions.costs = {{.call = call_ns, .send = 30, .receive = 40}};
        const Compensated alone = compensated(run.ranks);
        CHECK(alone.facts.all.messages == run.messages.size());
        CHECK(alone.facts.unknown == 0);
        for (const std::uint32_t threads : {2U, 3U}) {
            const Compensated together = compensated(run.ranks, DelaySource::computed, threads);
            CHECK(together.at_leave == alone.at_leave);
            CHECK(together.facts.all.messages == alone.facts.all.messages);
            CHECK(together.facts.all.collectives == alone.facts.all.collectives);
        }
    }
}

TEST_CASE("what the threads noted") {
    MadeRecord note;
    note.record.enter = made_start + 500;
    note.record.leave = made_start + 2400;
    note.record.what.kind = Kind::delay;
    note.words = {120, 555};
    const Compensated run =
        compensated(ranks_with({{send(2000, 1)}, {note, receive(500, 2400, 0), local(3000)}}), DelaySource::noted);
    CHECK(run.after(1, 500) == Approx(555));
    CHECK(run.after(1, 3000) == Approx(655));
    CHECK(run.facts.all.notes == 1);
}

TEST_CASE("times beside each other") {
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus",
                ranks_with({{local(1000), local(1050), local(2000)}, {local(1000), local(5000)}}));
    const auto trace = Trace::open((folder.path() / "app.tactus").string());
    REQUIRE(trace);
    const CompensatedRun run = *compensated_run(*trace, DelaySource::computed);
    REQUIRE(run.ranks.size() == 2);
    CHECK(run.ranks[0].wall.measured_s == Approx(1001e-9));
    CHECK(run.ranks[0].wall.compensated_s == Approx(801e-9));
    CHECK(run.wall.compensated_s == Approx(3901e-9));
    // There are 49 ns between the first two calls, and the tracer is believed to have taken 100 of them.
    CHECK(run.clamped == 1);
    CHECK(run.clamped_s == Approx(51e-9));
    DelayLines lines = *delay_lines(*trace, DelaySource::computed);
    const DelayLine& line = lines.at({0, 0});
    CHECK(to_ns(line.at(made_start + 1000)) == Approx(100));
    CHECK(to_ns(line.at(made_start + 1050)) == Approx(149)); // limited, because time does not run back
    CHECK(to_ns(line.at(made_start + 1525)) == Approx(225).margin(1));
}
