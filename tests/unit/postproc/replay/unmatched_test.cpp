// Messages that form no pair, and those that do so beside them.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/postproc/replay/paired.hpp"
#include "trace/words.hpp"

#include <fstream>
#include <random>

using namespace tactus;

TEST_CASE("a wait that failed says nothing of its receives") {
    MadeRecord truncated = completes(Function::Wait, 20, 4, 0, 7, 100);
    truncated.record.what.flags |= flag::failed;
    const Paired result = paired(ranks_with({{send(0, 1, 7, 1)}, {begins(Function::Irecv, 0, 4, 0, 7), truncated}}));
    CHECK(result.lines.empty());
    CHECK(result.left_out(Unmatched::unequal) == 1);
}

TEST_CASE("a channel with a message too many is left out, and no other") {
    const Paired result = paired(ranks_with({{send(0, 1, 7, 1), send(20, 1, 7, 2), send(40, 1, 8, 3)},
                                             {receive(50, 0, 7, 1), receive(70, 0, 8, 3), receive(90, 0, 9, 4)}}));
    CHECK(result.lines == Lines{"0@40 > 1@80 3"});
    CHECK(result.left_out(Unmatched::unequal) == 3);
    CHECK(result.counts.channels == 3);
    CHECK(result.counts.channels_left_out == 2);
}

TEST_CASE("messages to a process outside MPI_COMM_WORLD are counted") {
    auto ranks = ranks_with(
        {{send(0, 0, 7, 1, 3), send(20, 0, 7, 1, 77), send(40, 9, 7, 1), send(60, 1, 7, 5)}, {receive(80, 0, 7, 5)}});
    ranks[0].definitions.comms.push_back(
        {.number = 3, .identity = 5, .my_rank = 0, .members = {{0, 2, 1}}, .remote = {{-1, 1, 1}}, .name = {}});
    const Paired result = paired(ranks);
    CHECK(result.lines == Lines{"0@60 > 1@90 5"});
    CHECK(result.left_out(Unmatched::outside) == 3);
}

TEST_CASE("sends that were not recorded make all tags between the two uncertain") {
    // There are as many sends as receives, but they do not belong together.
    const Paired result =
        paired(ranks_with({{not_recorded(0, {.comm = 1, .peer = 1, .direction = Direction::sent, .count = 1}),
                            send(20, 1, 7, 2), send(40, 2, 7, 3), send(60, 1, 7, 4, 2)},
                           {receive(50, 0, 7, 1)},
                           {receive(50, 0, 7, 3)}}));
    CHECK(result.lines == Lines{"0@40 > 2@60 3"});
    CHECK(result.left_out(Unmatched::not_recorded) == 1);
}

TEST_CASE("receives that were not recorded show where they are missing") {
    const Paired result = paired(ranks_with(
        {{send(0, 1, 7, 1), send(20, 1, 7, 2), send(40, 1, 8, 3)},
         {not_recorded(30, {.comm = 1, .peer = 0, .direction = Direction::received, .count = 1}), receive(50, 0, 7, 2),
          receive(70, 0, 8, 3), not_recorded(90, {.comm = 1, .direction = Direction::collective, .count = 1})}}));
    CHECK(result.lines == Lines{"0@40 > 1@80 3"});
    CHECK(result.left_out(Unmatched::not_recorded) == 2);
}

TEST_CASE("what a rank sent is uncertain when records of it are missing") {
    const auto pair_with = [](void (*harm)(MadeRank&)) {
        auto ranks = ranks_with({{send(0, 1, 7, 1), receive(20, 1, 7, 2)}, {send(0, 0, 7, 2), receive(30, 0, 7, 1)}});
        harm(ranks[0]);
        return paired(ranks);
    };
    const auto lost_block = [](MadeRank& rank) {
        rank.definitions.totals[0].lost[static_cast<std::size_t>(Loss::block_not_written)] = 9;
    };
    const auto killed = [](MadeRank& rank) {
        MadeRecord world = made_call(Function{}, 11, 12);
        world.record.what.kind = Kind::comm;
        world.words = to_words(rank.definitions.comms[0]);
        auto& records = rank.lanes[0].records;
        records.insert(records.begin() + 1, world);
        rank.closed = false;
    };
    const auto gap = [](MadeRank& rank) { rank.lanes[0].first_sequence = 1; };
    const auto ended_in_start = [](MadeRank& rank) {
        rank.lanes[0].records.push_back(starts(Function::Start, 40, {}));
        rank.lanes[0].records.back().record.what.flags = flag::unfinished;
    };
    for (const Paired& result : {pair_with(lost_block), pair_with(gap), pair_with(killed), pair_with(ended_in_start)}) {
        CHECK(result.lines == Lines{"1@0 > 0@30 2"});
        CHECK(result.left_out(Unmatched::incomplete) == 1);
    }
}

TEST_CASE("a damaged block leaves what does not need it") {
    auto ranks = ranks_with({{send(0, 1, 7, 1), receive(20, 1, 7, 2)}, {send(0, 0, 7, 2), receive(30, 0, 7, 1)}});
    ranks[0].lanes[0].records_a_block = 1;
    const TestFolder folder;
    const auto path = write_trace(folder.path() / "app.tactus", ranks)[0];
    const auto damage = [&](std::size_t block) {
        const Trace trace = opened(folder, ranks);
        std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
        file.seekp(static_cast<std::streamoff>(trace.ranks[0].blocks()[block].offset + sizeof(BlockHeader) + 4));
        file.put('~');
    };
    const auto damaged = [&](std::size_t block) {
        damage(block);
        auto trace = Trace::open((folder.path() / "app.tactus").string());
        REQUIRE(trace);
        return paired(*trace);
    };
    const Paired no_send = damaged(0);
    CHECK(no_send.lines == Lines{"1@0 > 0@30 2"});
    CHECK(no_send.left_out(Unmatched::incomplete) == 1);
    CHECK(no_send.counts.unreadable.size() == 1);
    const Paired no_receive = damaged(1);
    CHECK(no_receive.lines.empty());
    CHECK(no_receive.left_out(Unmatched::incomplete) == 2);
}

TEST_CASE("several threads that send, or post, have no order, whenever they do it") {
    auto ranks = made_ranks(2);
    ranks[0].lanes = {{.number = 0, .records = {send(0, 1, 7, 1), send(40, 1, 7, 3)}},
                      {.number = 1, .records = {send(20, 1, 7, 2), send(60, 1, 7, 4)}}};
    const std::uint64_t posted = request_number(1, 1);
    ranks[1].lanes = {{.number = 0,
                       .records = {receive(0, 0, 7, 1), receive(40, 0, 7, 3), receive(60, 0, 7, 4),
                                   completes(Function::Wait, 80, posted, 0, 7, 2)}},
                      {.number = 1, .records = {begins(Function::Irecv, 20, posted, 0, 7)}}};
    const Paired result = paired(ranks);
    // "Logically concurrent, even if one physically precedes the other" (MPI-4.0, 3.5).
    CHECK(result.lines.empty());
    CHECK(result.left_out(Unmatched::concurrent) == 4);
}

TEST_CASE("threads that send or post at the same time leave only their own channel out") {
    auto ranks = made_ranks(2);
    ranks[0].lanes = {
        {.number = 0, .records = {send(0, 1, 7, 1), send(20, 1, 8, 5), send(45, 1, 7, 3), send(80, 1, 7, 4)}},
        {.number = 1, .records = {send(40, 1, 7, 2)}}};
    ranks[1].lanes = {{.records = {receive(0, 0, 7, 1), receive(50, 0, 7, 2), receive(70, 0, 7, 3),
                                   receive(90, 0, 7, 4), receive(120, 0, 8, 5)}}};
    const Paired sending = paired(ranks);
    CHECK(sending.lines == Lines{"0@20 > 1@130 5"});
    CHECK(sending.left_out(Unmatched::concurrent) == 4);

    ranks[0].lanes = {
        {.records = {send(0, 1, 7, 1), send(15, 1, 8, 5), send(20, 1, 7, 2), send(40, 1, 7, 3), send(60, 1, 7, 4)}}};
    ranks[1].lanes = {
        {.number = 0,
         .records = {receive(0, 0, 7, 1), receive(45, 0, 7, 2), receive(80, 0, 7, 4), receive(120, 0, 8, 5)}},
        {.number = 1, .records = {receive(40, 0, 7, 3)}}};
    const Paired posting = paired(ranks);
    CHECK(posting.lines == Lines{"0@15 > 1@130 5"});
    CHECK(posting.left_out(Unmatched::concurrent) == 4);
}

TEST_CASE("receives that name their messages pair whatever the order") {
    const auto names = [](const MadeRecord& of, std::vector<std::int64_t> words) {
        MadeRecord made = made_call(Function{}, of.record.enter - made_start, of.record.leave - made_start);
        made.record.what.kind = Kind::message_ids;
        made.words = std::move(words);
        return made;
    };
    const auto number = [](std::uint64_t lane, std::uint64_t serial) {
        return static_cast<std::int64_t>(request_number(lane, serial));
    };
    const MadeRecord first = send(40, 1, 7, 1);
    const MadeRecord second = send(45, 1, 7, 2);
    const MadeRecord lost = send(80, 1, 7, 9);
    MadeRecord third = begins(Function::Isend, 60, request_number(1, 8), 1, 7, 3);
    const MadeRecord last = receive(50, 0, 7, 2);
    const MadeRecord both = completes(Function::Waitall, 70, {{4, true, 3, 0, 7}, {.request = 6}, {5, true, 1, 0, 7}});
    auto ranks = made_ranks(2);
    ranks[0].lanes = {
        {.number = 0, .records = {names(first, {number(0, 3)}), first, names(lost, {number(0, 5)}), lost}},
        {.number = 1, .records = {names(second, {number(1, 7)}), second, third}}};
    ranks[1].lanes = {{.number = 0, .records = {names(last, {0, number(1, 7)}), last}},
                      {.number = 1,
                       .records = {begins(Function::Irecv, 0, 4, 0, 7), begins(Function::Irecv, 20, 5, 0, 7),
                                   names(both, {0, number(1, 8), number(0, 3)}), both}}};
    const Paired result = paired(ranks);
    CHECK(result.lines == Lines{"0.1@45 > 1@60 2", "0.1@60 > 1.1@80 3", "0@40 > 1.1@80 1"});
    CHECK(result.left_out(Unmatched::unequal) == 1);
    CHECK(result.left_out(Unmatched::concurrent) == 0);
}

TEST_CASE("records that make no sense do no harm") {
    auto ranks = made_ranks(2);
    ranks[0].definitions.comms.push_back(
        {.number = 3, .identity = 1, .my_rank = 9, .members = {{-5, INT64_MAX, INT64_MAX}}, .remote = {}, .name = {}});
    std::mt19937_64 random{1};
    const auto below = [&](std::uint64_t limit) { return random() % limit; };
    for (MadeRank& rank : ranks)
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            rank.lanes.push_back({.number = lane, .records = {}});
            for (Ticks tick = 0; tick < 4000; tick += 2) {
                MadeRecord made = made_call(static_cast<Function>(below(function_count)), tick, tick + 1);
                made.record.request = below(20);
                Signature& what = made.record.what;
                what.comm = static_cast<std::uint32_t>(below(5));
                what.peer = static_cast<std::int32_t>(below(6)) - 4;
                what.kind = below(10) == 0 ? Kind::loss : Kind::call;
                what.type = static_cast<std::uint32_t>(below(8));
                what.flags = static_cast<std::uint8_t>(random() & random());
                for (std::uint64_t words = below(14); words > 0; --words)
                    made.words.push_back(static_cast<std::int64_t>(below(3) == 0 ? random() : below(40)));
                rank.lanes.back().records.push_back(made);
            }
        }
    const Paired result = paired(ranks);
    CHECK(result.counts.channels >= result.counts.channels_left_out);
}
