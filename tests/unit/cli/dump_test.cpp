// `tactus dump`, line by line. The sequences of events are those of Table 4.1 of the thesis on the controlled logical
// clock: MPI_Send is (enter, send, exit), MPI_Recv is (enter, receive, exit), and MPI_Allreduce is (enter, collective
// exit) on every rank.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "tests/unit/made/run_tactus.hpp"

#include <algorithm>

using namespace tactus;

namespace {

std::vector<std::string> dumped(const std::vector<MadeRank>& ranks, const std::string& options) {
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    const CommandOutcome outcome = run_tactus("dump " + (folder.path() / "app.tactus").string() + ' ' + options);
    CHECK(outcome.errors.empty());
    CHECK(outcome.status == 0);
    return lines_in(outcome.output);
}

// A message from rank 0 to rank 1, then an Allreduce.
std::vector<MadeRank> table_4_1() {
    auto ranks = made_ranks(2);
    MadeRecord sum = made_message(Function::Allreduce, 5000, 7000, peer::none, 0, 16);
    ranks[0].lanes = {{.records = {made_message(Function::Send, 1000, 2000, 1, 7, 8), sum}}};
    sum.record.leave += 500;
    ranks[1].lanes = {{.records = {made_message(Function::Recv, 500, 3000, 0, 7, 8), sum}}};
    return ranks;
}

} // namespace

TEST_CASE("the events of Table 4.1") {
    CHECK(dumped(table_4_1(), "--events") ==
          std::vector<std::string>{
              "0.000000500 rank 1 lane 0  enter MPI_Recv", "0.000001000 rank 0 lane 0  enter MPI_Send",
              "0.000001000 rank 0 lane 0  send to 1 tag 7 comm MPI_COMM_WORLD bytes 8",
              "0.000002000 rank 0 lane 0  exit MPI_Send",
              "0.000003000 rank 1 lane 0  receive from 0 tag 7 comm MPI_COMM_WORLD bytes 8",
              "0.000003000 rank 1 lane 0  exit MPI_Recv", "0.000005000 rank 0 lane 0  enter MPI_Allreduce",
              "0.000005000 rank 1 lane 0  enter MPI_Allreduce",
              "0.000007000 rank 0 lane 0  collective exit MPI_Allreduce comm MPI_COMM_WORLD bytes 16",
              "0.000007500 rank 1 lane 0  collective exit MPI_Allreduce comm MPI_COMM_WORLD bytes 16"});
}

TEST_CASE("a line a record") {
    CHECK(
        dumped(table_4_1(), "") ==
        std::vector<std::string>{
            "0.000000500 rank 1 lane 0  MPI_Recv                   2.500 us  from 0 tag 7 comm MPI_COMM_WORLD bytes 8",
            "0.000001000 rank 0 lane 0  MPI_Send                   1.000 us  to 1 tag 7 comm MPI_COMM_WORLD bytes 8",
            "0.000005000 rank 0 lane 0  MPI_Allreduce              2.000 us  comm MPI_COMM_WORLD bytes 16",
            "0.000005000 rank 1 lane 0  MPI_Allreduce              2.500 us  comm MPI_COMM_WORLD bytes 16"});
}

TEST_CASE("requests: start and completion name each other, completions come before the exit") {
    auto ranks = made_ranks(2);
    MadeRecord isend = made_message(Function::Isend, 0, 10, 1, 3, 8);
    isend.record.what.flags = flag::starts;
    isend.record.request = request_number(0, 4);
    MadeRecord irecv = made_message(Function::Irecv, 20, 30, peer::any, 3, 64);
    irecv.record.what.flags = flag::starts | flag::any_source;
    irecv.record.request = request_number(0, 5);
    MadeRecord miss = made_call(Function::Testall, 40, 90);
    miss.record.what.flags = flag::repeated;
    miss.record.request = 17;
    miss.record.what.bytes = 34;
    MadeRecord waitall = made_call(Function::Waitall, 100, 200);
    waitall.words = {4 * 2, 5 * 2 + 1, 8, envelope_word(1, 3)};
    MadeRecord local = made_call(Function::Type_size, 210, 290);
    local.record.what.flags = flag::repeated;
    local.record.request = 3;
    local.record.what.bytes = 34;
    ranks[0].lanes = {{.records = {isend, irecv, miss, waitall, local}}};
    CHECK(dumped(ranks, "--rank 0 --events") ==
          std::vector<std::string>{
              "0.000000000 rank 0 lane 0  enter MPI_Isend",
              "0.000000000 rank 0 lane 0  send to 1 tag 3 comm MPI_COMM_WORLD bytes 8 request 0:4",
              "0.000000010 rank 0 lane 0  exit MPI_Isend", "0.000000020 rank 0 lane 0  enter MPI_Irecv",
              "0.000000020 rank 0 lane 0  receive posted from any tag 3 comm MPI_COMM_WORLD bytes 64 request 0:5",
              "0.000000030 rank 0 lane 0  exit MPI_Irecv", "0.000000040 rank 0 lane 0  enter MPI_Testall",
              "0.000000090 rank 0 lane 0  exit MPI_Testall  unsuccessful 17 times",
              "0.000000100 rank 0 lane 0  enter MPI_Waitall", "0.000000200 rank 0 lane 0  complete request 0:4",
              "0.000000200 rank 0 lane 0  receive from 1 tag 3 bytes 8 request 0:5",
              "0.000000200 rank 0 lane 0  exit MPI_Waitall", "0.000000210 rank 0 lane 0  enter MPI_Type_size",
              "0.000000290 rank 0 lane 0  exit MPI_Type_size  3 times"});
}

TEST_CASE("Sendrecv sends at its enter and receives at its exit") {
    auto ranks = made_ranks(3);
    MadeRecord both = made_message(Function::Sendrecv, 0, 10, 1, 3, 8);
    both.words = {24, envelope_word(2, 4)};
    ranks[0].lanes = {{.records = {both}}};
    CHECK(dumped(ranks, "--rank 0 --events") ==
          std::vector<std::string>{"0.000000000 rank 0 lane 0  enter MPI_Sendrecv",
                                   "0.000000000 rank 0 lane 0  send to 1 tag 3 comm MPI_COMM_WORLD bytes 8",
                                   "0.000000010 rank 0 lane 0  receive from 2 tag 4 comm MPI_COMM_WORLD bytes 24",
                                   "0.000000010 rank 0 lane 0  exit MPI_Sendrecv"});
}

TEST_CASE("ranks of a sub-communicator are told with their world ranks; names with blanks are quoted") {
    auto ranks = made_ranks(4);
    ranks[1].definitions.comms.push_back(
        {.number = 3, .identity = 5, .my_rank = 0, .members = {{1, 2, 2}}, .remote = {}, .name = "odd ranks"});
    MadeRecord send = made_message(Function::Send, 0, 10, 1, 3, 8);
    send.record.what.comm = 3;
    MadeRecord failed = made_message(Function::Bcast, 20, 30, 0, 0, 4);
    failed.record.what.comm = 3;
    failed.record.what.flags = flag::failed;
    ranks[1].lanes = {{.records = {send, failed}}};
    CHECK(dumped(ranks, "") == std::vector<std::string>{"0.000000000 rank 1 lane 0  MPI_Send                   0.010 "
                                                        "us  to 1 (world 3) tag 3 comm \"odd ranks\" bytes 8",
                                                        "0.000000020 rank 1 lane 0  MPI_Bcast                  0.010 "
                                                        "us  comm \"odd ranks\" root 0 (world 1) bytes 4  failed"});
}

TEST_CASE("calls inside another call appear inside it") {
    auto ranks = made_ranks(1);
    MadeRecord inner = made_call(Function::Comm_rank, 20, 30);
    inner.record.what.flags = flag::nested;
    ranks[0].lanes = {{.records = {inner, made_call(Function::Comm_size, 10, 40)}}};
    CHECK(dumped(ranks, "--events") == std::vector<std::string>{"0.000000010 rank 0 lane 0  enter MPI_Comm_size",
                                                                "0.000000020 rank 0 lane 0  enter MPI_Comm_rank",
                                                                "0.000000030 rank 0 lane 0  exit MPI_Comm_rank  nested",
                                                                "0.000000040 rank 0 lane 0  exit MPI_Comm_size"});
}

TEST_CASE("a record cut into pieces over two blocks is one line") {
    auto ranks = made_ranks(1);
    MadeRecord head = made_call(Function::Waitall, 0, 10);
    head.words = {4 * 2, 5 * 2};
    MadeRecord rest = made_call(Function::Waitall, 10, 10);
    rest.record.what.kind = Kind::more;
    rest.words = {6 * 2};
    ranks[0].lanes = {{.records = {head, rest, made_call(Function::Comm_size, 20, 30)}, .records_a_block = 1}};
    const auto lines = dumped(ranks, "");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "0.000000000 rank 0 lane 0  MPI_Waitall                0.010 us  complete request 0:4, "
                      "complete request 0:5, complete request 0:6");
}

TEST_CASE("lanes are merged by time, and can be chosen by time and function") {
    auto ranks = made_ranks(2);
    for (std::uint32_t r = 0; r < 2; ++r)
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            MadeLane made{.number = lane, .records = {}, .records_a_block = 3};
            for (Ticks i = 0; i < 10; ++i) {
                const Ticks at = 1'000'000 * (i + 1) + 100 * lane + 10 * r;
                made.records.push_back(made_call(i % 2 == 0 ? Function::Comm_rank : Function::Comm_size, at, at + 5));
            }
            ranks[r].lanes.push_back(made);
        }
    const auto all = dumped(ranks, "");
    REQUIRE(all.size() == 40);
    CHECK(std::is_sorted(all.begin(), all.end()));
    CHECK(dumped(ranks, "--function comm_size").size() == 20);
    CHECK(dumped(ranks, "--function MPI_Comm_size --function MPI_Comm_rank --rank 1").size() == 20);
    const auto some = dumped(ranks, "--from 0.0025 --to 0.0045");
    REQUIRE(some.size() == 8);
    CHECK(some.front().rfind("0.003000000 rank 0 lane 0", 0) == 0);
    CHECK(some.back().rfind("0.004000110 rank 1 lane 1", 0) == 0);
}
