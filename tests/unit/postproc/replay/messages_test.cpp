// Small traces and the pairs that their messages form, written as SENDER@TICK > RECEIVER@TICK BYTES.
#include "postproc/replay/messages.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "trace/words.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <random>

using namespace tactus;

namespace {

using Lines = std::vector<std::string>;

struct Paired {
    Lines lines; // in the order of the receives, which differ within each test
    MessageCounts counts;
    [[nodiscard]] std::uint64_t left_out(Unmatched reason) const {
        return counts.unmatched[static_cast<std::size_t>(reason)];
    }
};

std::string text_of(const MessageEnd& end) {
    const std::string lane = end.lane == 0 ? "" : "." + std::to_string(end.lane);
    return std::to_string(end.rank) + lane + "@" + std::to_string(end.tick - made_start);
}

Paired paired(const Trace& trace) {
    std::vector<std::pair<Ticks, std::string>> by_receive;
    Paired result;
    result.counts = for_each_message(trace, [&](const Message& message) {
        by_receive.emplace_back(message.received.tick, text_of(message.sent) + " > " + text_of(message.received) + " " +
                                                           std::to_string(message.bytes));
    });
    std::sort(by_receive.begin(), by_receive.end());
    for (const auto& [tick, line] : by_receive) result.lines.push_back(line);
    CHECK(result.counts.matched == result.lines.size());
    return result;
}

Trace opened(const TestFolder& folder, const std::vector<MadeRank>& ranks) {
    write_trace(folder.path() / "app.tactus", ranks);
    auto trace = Trace::open((folder.path() / "app.tactus").string());
    if (!trace) throw std::runtime_error{trace.error().line()};
    return std::move(*trace);
}

Paired paired(const std::vector<MadeRank>& ranks) {
    const TestFolder folder;
    return paired(opened(folder, ranks));
}

// Every call takes ten ticks, so that a test only says when it begins.
constexpr Ticks length = 10;

MadeRecord send(Ticks enter, std::int32_t to, std::int32_t tag, std::uint64_t bytes, std::uint32_t comm = 1) {
    MadeRecord made = made_message(Function::Send, enter, enter + length, to, tag, bytes);
    made.record.what.comm = comm;
    return made;
}

MadeRecord receive(Ticks enter, std::int32_t from, std::int32_t tag, std::uint64_t bytes, std::uint32_t comm = 1) {
    MadeRecord made = send(enter, from, tag, bytes, comm);
    made.record.what.function = Function::Recv;
    return made;
}

MadeRecord begins(Function function, Ticks enter, std::uint64_t request, std::int32_t peer, std::int32_t tag,
                  std::uint64_t bytes = 0) {
    MadeRecord made = made_message(function, enter, enter + length, peer, tag, bytes);
    made.record.request = request;
    made.record.what.flags = flag::starts;
    return made;
}

MadeRecord completes(Function function, Ticks enter, std::uint64_t request, std::int32_t source, std::int32_t tag,
                     std::uint64_t bytes) {
    MadeRecord made = begins(function, enter, request, source, tag, bytes);
    made.record.what.comm = 0;
    made.record.what.flags = flag::completes;
    return made;
}

MadeRecord completes(Function function, Ticks enter, const std::vector<Completion>& list) {
    MadeRecord made = made_call(function, enter, enter + length);
    for (const Completion& completion : list) {
        std::int64_t words[Completion::most_words];
        made.words.insert(made.words.end(), words, words + completion.put(words));
    }
    return made;
}

MadeRecord starts(Function function, Ticks enter, const std::vector<Started>& list) {
    MadeRecord made = made_call(function, enter, enter + length);
    for (const Started& started : list) {
        std::int64_t words[Started::words];
        started.put(words);
        made.words.insert(made.words.end(), words, words + Started::words);
    }
    return made;
}

MadeRecord not_recorded(Ticks enter, const NotRecorded& channel) {
    MadeRecord made = made_call(Function{}, enter, enter + length);
    made.record.what.kind = Kind::loss;
    made.record.what.type = static_cast<std::uint32_t>(Loss::switched_off);
    made.words.resize(NotRecorded::words);
    channel.put(made.words.data());
    return made;
}

std::vector<MadeRank> ranks_with(const std::vector<std::vector<MadeRecord>>& records) {
    auto ranks = made_ranks(static_cast<std::uint32_t>(records.size()));
    for (std::size_t i = 0; i < records.size(); ++i) ranks[i].lanes = {{.records = records[i]}};
    return ranks;
}

} // namespace

TEST_CASE("blocking messages pair by channel, in the order they were sent") {
    const Paired result = paired(ranks_with({{send(0, 1, 7, 1), send(20, 1, 8, 2), send(40, 1, 7, 3)},
                                             {receive(0, 0, 8, 2), receive(50, 0, 7, 1), receive(70, 0, 7, 3)}}));
    CHECK(result.lines == Lines{"0@20 > 1@10 2", "0@0 > 1@60 1", "0@40 > 1@80 3"});
    CHECK(result.counts.channels == 2);
    CHECK(result.counts.unmatched_in_all() == 0);
}

TEST_CASE("receives of equal envelope match as they were posted, not as they complete") {
    const Paired result = paired(
        ranks_with({{send(0, 1, 7, 1), send(20, 1, 7, 2), send(40, 1, 7, 3)},
                    {begins(Function::Irecv, 0, 4, 0, 7), begins(Function::Irecv, 20, 5, peer::any, 7),
                     begins(Function::Irecv, 40, 6, 0, 7), completes(Function::Waitany, 60, 6, 0, 7, 3),
                     completes(Function::Waitall, 80, {{.request = 9}, {5, true, 2, 0, 7}, {4, true, 1, 0, 7}})}}));
    CHECK(result.lines == Lines{"0@40 > 1@70 3", "0@0 > 1@90 1", "0@20 > 1@90 2"});
    CHECK(result.counts.unmatched_in_all() == 0);
}

TEST_CASE("a request that was seen complete counts when it completes") {
    const Paired result = paired(ranks_with(
        {{send(0, 1, 7, 1)},
         {begins(Function::Irecv, 0, 4, 0, 7), completes(Function::Request_get_status, 20, {{4, true, 1, 0, 7}}),
          completes(Function::Request_get_status, 40, {{4, true, 1, 0, 7}}),
          completes(Function::Test, 60, 4, 0, 7, 1)}}));
    CHECK(result.lines == Lines{"0@0 > 1@70 1"});
    CHECK(result.counts.unmatched_in_all() == 0);
}

TEST_CASE("persistent requests send and are posted at each start") {
    const auto out = [](std::uint64_t request, std::uint64_t bytes) {
        return Started{
            .request = request, .bytes = bytes, .peer = 1, .tag = 7, .comm = 1, .function = Function::Ssend_init};
    };
    const auto in = [](std::uint64_t request) {
        return Started{.request = request, .peer = peer::any, .tag = 7, .comm = 1, .function = Function::Recv_init};
    };
    const Paired result =
        paired(ranks_with({{begins(Function::Ssend_init, 0, 1, 1, 7, 8), starts(Function::Start, 20, {out(2, 8)}),
                            starts(Function::Startall, 40, {out(3, 9), out(4, 10)})},
                           {begins(Function::Recv_init, 0, 1, peer::any, 7), starts(Function::Start, 20, {in(5)}),
                            starts(Function::Startall, 40, {in(6), in(7)}), completes(Function::Wait, 60, 7, 0, 7, 10),
                            completes(Function::Waitsome, 80, {{6, true, 9, 0, 7}, {5, true, 8, 0, 7}})}}));
    CHECK(result.lines == Lines{"0@40 > 1@70 10", "0@20 > 1@90 8", "0@40 > 1@90 9"});
    CHECK(result.counts.unmatched_in_all() == 0);
}

TEST_CASE("a call that sends and receives is both ends") {
    const auto exchange = [](Ticks enter, std::int32_t other, std::uint64_t out, std::uint64_t in) {
        MadeRecord made = made_message(Function::Sendrecv, enter, enter + length, other, 1, out);
        made.words = {static_cast<std::int64_t>(in), envelope_word(other, 1)};
        return made;
    };
    MadeRecord shifted = exchange(20, peer::proc_null, 0, 9);
    shifted.words[1] = envelope_word(1, 2);
    const Paired result =
        paired(ranks_with({{exchange(0, 1, 5, 6), shifted, begins(Function::Isendrecv, 40, 3, 1, 3, 7),
                            completes(Function::Wait, 60, 3, 1, 4, 8)},
                           {exchange(1, 0, 6, 5), send(21, 0, 2, 9), send(41, 0, 4, 8), receive(61, 0, 3, 7)}}));
    CHECK(result.lines == Lines{"1@1 > 0@10 6", "0@0 > 1@11 5", "1@21 > 0@30 9", "1@41 > 0@70 8", "0@40 > 1@71 7"});
    CHECK(result.counts.unmatched_in_all() == 0);
}

TEST_CASE("a matched probe is a post") {
    MadeRecord imrecv = begins(Function::Imrecv, 60, 21, peer::none, 0);
    imrecv.words = {11};
    const Paired result = paired(ranks_with(
        {{send(0, 1, 7, 1), send(20, 1, 7, 2), send(40, 1, 7, 3)},
         {begins(Function::Mprobe, 0, 10, 0, 7, 1), begins(Function::Improbe, 20, 11, 0, 7, 2), receive(40, 0, 7, 3),
          imrecv, completes(Function::Mrecv, 80, 10, 0, 7, 1), completes(Function::Wait, 100, 21, 0, 7, 2)}}));
    CHECK(result.lines == Lines{"0@40 > 1@50 3", "0@0 > 1@90 1", "0@20 > 1@110 2"});
    CHECK(result.counts.unmatched_in_all() == 0);
}

TEST_CASE("channels are of world ranks and of the communicator that both sides mean") {
    auto ranks = ranks_with({{send(0, 0, 7, 1, 3), send(20, 2, 7, 2), receive(40, 0, 5, 4, 2), send(60, 0, 5, 4, 2)},
                             {},
                             {receive(0, 0, 7, 2), receive(20, 1, 7, 1, 4)}});
    // The same communicator, of world ranks 2 and 0 in this order, has a different number on each rank.
    const auto reversed = [](std::uint32_t number, std::uint32_t me) {
        return Comm{.number = number, .identity = 99, .my_rank = me, .members = {{2, 2, -2}}, .remote = {}, .name = {}};
    };
    ranks[0].definitions.comms.push_back(reversed(3, 1));
    ranks[2].definitions.comms.push_back(reversed(4, 0));
    const Paired result = paired(ranks);
    CHECK(result.lines == Lines{"0@20 > 2@10 2", "0@0 > 2@30 1", "0@60 > 0@50 4"});
    CHECK(result.counts.unmatched_in_all() == 0);
}

TEST_CASE("peers in an intercommunicator are ranks of the other side") {
    auto ranks = ranks_with({{send(0, 1, 7, 1, 3)}, {}, {send(0, 0, 7, 2, 3)}, {receive(20, 0, 7, 1, 3)}});
    for (std::uint32_t i = 0; i < 4; ++i) {
        Comm inter{
            .number = 3, .identity = 50, .my_rank = i % 2, .members = {{0, 2, 1}}, .remote = {{2, 2, 1}}, .name = {}};
        if (i >= 2) std::swap(inter.members, inter.remote);
        ranks[i].definitions.comms.push_back(inter);
    }
    ranks[0].lanes[0].records.push_back(receive(40, 0, 7, 2, 3));
    const Paired result = paired(ranks);
    CHECK(result.lines == Lines{"0@0 > 3@30 1", "2@0 > 0@50 2"});
    CHECK(result.counts.unmatched_in_all() == 0);
}

TEST_CASE("nobody, failures and cancelled receives make no pair") {
    MadeRecord failed = send(20, 1, 7, 2);
    failed.record.what.flags = flag::failed;
    MadeRecord refused = receive(40, 0, 7, 2);
    refused.record.what.flags = flag::failed;
    const Paired result = paired(ranks_with(
        {{send(0, peer::proc_null, 7, 0), failed, send(40, 1, 7, 3)},
         {receive(0, peer::proc_null, 7, 0), begins(Function::Irecv, 20, 4, 0, 7), refused, receive(60, 0, 7, 3),
          completes(Function::Wait, 80, 4, peer::none, 0, 0), begins(Function::Irecv, 100, 5, peer::proc_null, 7),
          completes(Function::Waitall, 120, {{5, true, 0, peer::proc_null, 7}})}}));
    CHECK(result.lines == Lines{"0@40 > 1@70 3"});
    CHECK(result.counts.unmatched_in_all() == 0);
}

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
