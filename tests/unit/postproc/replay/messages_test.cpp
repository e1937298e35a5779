// Small traces and the pairs that their messages form, written as SENDER@TICK > RECEIVER@TICK BYTES.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/postproc/replay/paired.hpp"

using namespace tactus;

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
        MadeRecord made = made_message(Function::Sendrecv, enter, enter + call_length, other, 1, out);
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
