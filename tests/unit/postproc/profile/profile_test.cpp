// Profiles of small traces, in which every number can be computed by hand.
#include "postproc/profile/losses.hpp"
#include "postproc/profile/moved.hpp"
#include "postproc/profile/profile.hpp"
#include "postproc/profile/tracer_cost.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <algorithm>

using namespace tactus;

namespace {

const FunctionProfile& function_in(const Profile& profile, const char* name) {
    const auto found =
        std::find_if(profile.functions.begin(), profile.functions.end(), [&](const auto& f) { return f.name == name; });
    if (found == profile.functions.end()) throw std::runtime_error{std::string{name} + " is not in the profile"};
    return *found;
}

Trace opened(const TestFolder& folder, const std::vector<MadeRank>& ranks) {
    write_trace(folder.path() / "app.tactus", ranks);
    auto trace = Trace::open((folder.path() / "app.tactus").string());
    if (!trace) throw std::runtime_error{trace.error().line()};
    return std::move(*trace);
}

Comm comm_of(std::uint32_t size, std::uint32_t me) {
    return {.number = 1, .my_rank = me, .members = {{0, size, 1}}, .remote = {}, .name = {}};
}

Record collective(Function function, std::uint64_t block, std::int32_t root = peer::none) {
    Record record;
    record.what.function = function;
    record.what.comm = 1;
    record.what.bytes = block;
    record.what.peer = root;
    return record;
}

void check_moved(const Record& record, std::vector<std::int64_t> words, const Comm& comm, std::uint64_t sent,
                 std::uint64_t received) {
    const Moved moved = bytes_moved(record, words, [&](std::uint32_t) { return &comm; });
    INFO(functions[static_cast<std::size_t>(record.what.function)].name << " root " << record.what.peer);
    CHECK(moved.sent == sent);
    CHECK(moved.received == received);
}

// Two messages from rank 0 to rank 1, then a barrier, to which rank 1 comes early.
std::vector<MadeRank> two_ranks() {
    auto ranks = made_ranks(2);
    ranks[0].lanes = {{.records = {made_message(Function::Send, 0, 1000, 1, 7, 8),
                                   made_message(Function::Send, 2000, 5000, 1, 7, 100),
                                   made_message(Function::Barrier, 9000, 10000, peer::none, 0, 0)}}};
    ranks[1].lanes = {{.records = {made_message(Function::Recv, 0, 4000, 0, 7, 8),
                                   made_message(Function::Recv, 4000, 5000, 0, 7, 100),
                                   made_message(Function::Barrier, 5000, 10000, peer::none, 0, 0)}}};
    return ranks;
}

} // namespace

TEST_CASE("functions of a profile add up") {
    const TestFolder folder;
    const Profile profile = make_profile(opened(folder, two_ranks()));

    const CallStats& send = function_in(profile, "MPI_Send").stats;
    CHECK(send.calls == 2);
    CHECK(send.time_s == Approx(4e-6));
    CHECK(send.min_s == Approx(1e-6));
    CHECK(send.max_s == Approx(3e-6));
    CHECK(send.avg_s() == Approx(2e-6));
    CHECK(send.sent_bytes == 108);
    CHECK(send.received_bytes == 0);
    CHECK(function_in(profile, "MPI_Recv").stats.received_bytes == 108);
    CHECK(profile.functions.front().name == "MPI_Barrier"); // 6 us, which is the most
    REQUIRE(profile.collectives.size() == 1);
    CHECK(profile.collectives[0].time.ratio() == Approx(3.0 / 5.0));
    REQUIRE(profile.messages.size() == 1);
    CHECK(profile.messages[0].from == 0);
    CHECK(profile.messages[0].to == 1);
    CHECK(profile.messages[0].messages == 2);
    CHECK(profile.messages[0].bytes == 108);
}

TEST_CASE("ranks of a profile: shares and balance") {
    const TestFolder folder;
    const Profile profile = make_profile(opened(folder, two_ranks()));
    REQUIRE(profile.ranks.size() == 2);
    CHECK(profile.ranks[0].wall_s == Approx(10e-6));
    CHECK(profile.ranks[0].mpi.time_s == Approx(5e-6));
    CHECK(profile.ranks[0].mpi_share() == Approx(0.5));
    CHECK(profile.ranks[1].mpi_share() == Approx(1.0));
    CHECK(profile.mpi.mean_s == Approx(7.5e-6));
    CHECK(profile.mpi.max_s == Approx(10e-6));
    CHECK(profile.mpi.max_rank == 1);
    CHECK(profile.other.max_rank == 0);
    CHECK(profile.mpi_share() == Approx(0.75));
}

TEST_CASE("measuring clocks is not the application's time") {
    auto ranks = two_ranks();
    ranks[0].definitions.totals[0].measuring = 2000;
    MadeRecord round = made_call(Function{}, 6000, 8000);
    round.record.what.kind = Kind::sync;
    round.record.what.type = static_cast<std::uint32_t>(RoundReason::timesync);
    auto& records = ranks[0].lanes[0].records;
    records.insert(records.end() - 1, round);
    const TestFolder folder;
    const Trace trace = opened(folder, ranks);
    const Profile profile = make_profile(trace);
    CHECK(profile.ranks[0].wall_s == Approx(10e-6));
    CHECK(profile.ranks[0].other_s() == Approx(3e-6));
    CHECK(tracer_cost(trace).measuring_s == Approx(2e-6));
}

TEST_CASE("threads of a rank: their time is added, and so is the time they had") {
    auto ranks = made_ranks(1);
    ranks[0].lanes = {
        {.number = 0, .records = {made_call(Function::Wtime, 0, 1000), made_call(Function::Wtime, 3000, 4000)}},
        {.number = 1, .records = {made_call(Function::Wtime, 1000, 4000)}}};
    const TestFolder folder;
    const Profile profile = make_profile(opened(folder, ranks));
    CHECK(profile.ranks[0].lanes == 2);
    CHECK(profile.ranks[0].threads_s == Approx(7e-6)); // the second thread lives from its first call to its last
    CHECK(profile.ranks[0].mpi.time_s == Approx(5e-6));
    CHECK(profile.ranks[0].other_s() == Approx(2e-6));
}

TEST_CASE("MPI_Finalize lasts until the last rank came to it, once the clocks tell") {
    auto ranks = made_ranks(2);
    ranks[0].lanes = {{.records = {made_call(Function::Init, 0, 1000), made_call(Function::Finalize, 2000, 3000)}}};
    ranks[1].lanes = {{.records = {made_call(Function::Init, 0, 1000), made_call(Function::Finalize, 7000, 8000)}}};
    const TestFolder before;
    CHECK(function_in(make_profile(opened(before, ranks)), "MPI_Finalize").stats.time_s == Approx(2e-6));
    ranks[0].definitions.clock_quality = {ClockQuality{}};
    const TestFolder folder;
    const Trace trace = opened(folder, ranks);
    const Profile profile = make_profile(trace);
    const CallStats& finalize = function_in(profile, "MPI_Finalize").stats;
    CHECK(finalize.time_s == Approx(7e-6));
    CHECK(finalize.max_s == Approx(6e-6));
    CHECK(finalize.calls == 2);
    CHECK(profile.ranks[0].wall_s == Approx(8e-6));
    CHECK(profile.ranks[0].mpi.time_s == Approx(7e-6));
    CHECK(profile.total_s == Approx(16e-6));
    const GlobalTime middle = trace.ranks[0].clock().at(trace.ranks[0].blocks().front().first + 5000);
    const Profile first = make_profile(trace, {.from = {}, .to = middle});
    const Profile second = make_profile(trace, {.from = middle, .to = {}});
    CHECK(first.total_s + second.total_s == Approx(16e-6));
    CHECK(function_in(first, "MPI_Finalize").stats.time_s == Approx(3e-6));
    CHECK(function_in(second, "MPI_Finalize").stats.time_s == Approx(4e-6));
    ranks[1].lanes[0].records.pop_back(); // a rank that ended otherwise
    const TestFolder other;
    CHECK(function_in(make_profile(opened(other, ranks)), "MPI_Finalize").stats.time_s == Approx(1e-6));
}

TEST_CASE("a run that began with a communicator made from a session waits in its last MPI_Session_finalize") {
    auto ranks = made_ranks(2);
    for (std::size_t i = 0; i < 2; ++i) {
        ranks[i].definitions.comms.front().made_by = Function::Comm_create_from_group;
        ranks[i].definitions.clock_quality = {ClockQuality{}};
        const Ticks end = i == 0 ? 2000 : 7000;
        ranks[i].lanes = {{.records = {made_call(Function::Session_finalize, 500, 600),
                                       made_call(Function::Session_finalize, end, end + 1000)}}};
    }
    const TestFolder folder;
    const CallStats finalize = function_in(make_profile(opened(folder, ranks)), "MPI_Session_finalize").stats;
    CHECK(finalize.time_s == Approx(7.2e-6));
    CHECK(finalize.max_s == Approx(6e-6));
}

TEST_CASE("a call made in a callback counts, and its time is its own") {
    auto ranks = made_ranks(1);
    const auto nested = [](Function function, Ticks enter, Ticks leave) {
        MadeRecord made = made_call(function, enter, leave);
        made.record.what.flags = flag::nested;
        return made;
    };
    // Two calls in a callback of the reduction, of which the second has a nested call itself; then a call outside.
    ranks[0].lanes = {{.records = {nested(Function::Comm_rank, 100, 200), nested(Function::Comm_get_name, 350, 400),
                                   nested(Function::Comm_dup, 300, 500), made_call(Function::Allreduce, 0, 1000),
                                   made_call(Function::Wtime, 1100, 1200)}}};
    const TestFolder folder;
    const Profile profile = make_profile(opened(folder, ranks));
    CHECK(function_in(profile, "MPI_Allreduce").stats.time_s == Approx(0.7e-6));
    CHECK(function_in(profile, "MPI_Comm_dup").stats.time_s == Approx(0.15e-6));
    CHECK(function_in(profile, "MPI_Comm_rank").stats.time_s == Approx(0.1e-6));
    CHECK(profile.all.calls == 5);
    CHECK(profile.all.time_s == Approx(1.1e-6));
}

TEST_CASE("unsuccessful tests count as the calls they stand for, noted records as none") {
    auto ranks = made_ranks(1);
    MadeRecord misses = made_call(Function::Test, 0, 100'000);
    misses.record.what.flags = flag::repeated;
    misses.record.request = 10;
    misses.record.what.bytes = 5000; // ticks inside
    MadeRecord stall = made_call(Function::Abort, 300'000, 400'000);
    stall.record.what.kind = Kind::stall;
    MadeRecord failed = made_message(Function::Send, 500'000, 500'100, 0, 1, 64);
    failed.record.what.flags = flag::failed;
    ranks[0].lanes = {{.records = {misses, stall, failed}}};
    const TestFolder folder;
    const Profile profile = make_profile(opened(folder, ranks));
    REQUIRE(profile.functions.size() == 2);
    const CallStats& test = function_in(profile, "MPI_Test").stats;
    CHECK(test.calls == 10);
    CHECK(test.time_s == Approx(5e-6));
    CHECK(test.min_s == Approx(0.5e-6));
    CHECK(function_in(profile, "MPI_Send").stats.failed == 1);
    CHECK(function_in(profile, "MPI_Send").stats.sent_bytes == 0);
    CHECK(profile.messages.empty());
    CHECK(profile.all.calls == 11);
}

TEST_CASE("call places agree between ranks whose modules lie elsewhere") {
    auto ranks = made_ranks(2);
    for (std::size_t i = 0; i < 2; ++i) {
        const std::uint64_t base = 0x10000 * (i + 1);
        ranks[i].definitions.modules = {{base, base + 0x1000, base, "/bin/app", "abcd"}};
        MadeRecord here = made_call(Function::Wtime, 0, 10);
        here.record.what.place = base + 0x40;
        MadeRecord there = made_call(Function::Wtime, 20, 50);
        there.record.what.place = base + 0x80;
        ranks[i].lanes = {{.records = {here, there}}};
    }
    const TestFolder folder;
    const Profile profile = make_profile(opened(folder, ranks));
    REQUIRE(profile.places.size() == 2);
    CHECK(profile.places[0].place == Place{"/bin/app", "abcd", 0x80});
    CHECK(profile.places[0].stats.calls == 2);
    CHECK(profile.places[1].place.offset == 0x40);
}

TEST_CASE("messages are named by world ranks") {
    auto ranks = made_ranks(4);
    // A communicator of the ranks 3 and 1, in this order.
    ranks[3].definitions.comms.push_back(
        {.number = 3, .identity = 9, .my_rank = 0, .members = {{3, 2, -2}}, .remote = {}, .name = "pair"});
    MadeRecord send = made_message(Function::Send, 0, 10, 1, 0, 16);
    send.record.what.comm = 3;
    MadeRecord lost = made_message(Function::Send, 20, 30, 1, 0, 16);
    lost.record.what.comm = 99;
    ranks[3].lanes = {{.records = {send, lost}}};
    const TestFolder folder;
    const Profile profile = make_profile(opened(folder, ranks));
    REQUIRE(profile.messages.size() == 1);
    CHECK(profile.messages[0].from == 3);
    CHECK(profile.messages[0].to == 1);
    CHECK(profile.unplaced == 1);
}

TEST_CASE("what collectives move") {
    const Comm root = comm_of(4, 2);
    const Comm other = comm_of(4, 1);
    check_moved(collective(Function::Bcast, 10, 2), {}, root, 30, 0);
    check_moved(collective(Function::Bcast, 10, 2), {}, other, 0, 10);
    check_moved(collective(Function::Scatter, 10, 2), {}, root, 30, 0);
    check_moved(collective(Function::Gather, 10, 2), {}, root, 0, 30);
    check_moved(collective(Function::Gather, 10, 2), {}, other, 10, 0);
    check_moved(collective(Function::Reduce, 10, 2), {}, root, 0, 10);
    check_moved(collective(Function::Reduce, 10, 2), {}, other, 10, 0);
    check_moved(collective(Function::Allreduce, 10), {}, other, 10, 10);
    check_moved(collective(Function::Scan, 10), {}, other, 10, 10);
    check_moved(collective(Function::Allgather, 10), {}, other, 10, 30);
    check_moved(collective(Function::Alltoall, 10), {}, other, 30, 30);
    check_moved(collective(Function::Reduce_scatter_block, 10), {}, other, 30, 10);
    check_moved(collective(Function::Barrier, 0), {}, other, 0, 0);
    check_moved(collective(Function::Allreduce, 10), {}, comm_of(1, 0), 0, 0);

    const std::vector<std::int64_t> vector = {4 * 2, 1, 2, 3, 4};
    check_moved(collective(Function::Gatherv, 3, 2), vector, root, 0, 7);
    check_moved(collective(Function::Gatherv, 2, 2), {}, other, 2, 0);
    check_moved(collective(Function::Scatterv, 0, 2), vector, root, 7, 0);
    check_moved(collective(Function::Scatterv, 2, 2), {}, other, 0, 2);
    check_moved(collective(Function::Allgatherv, 2), vector, other, 2, 8);
    check_moved(collective(Function::Reduce_scatter, 0), vector, other, 8, 2);
    check_moved(collective(Function::Alltoallv, 0), {4 * 2 + 1, 5, 4 * 2, 1, 2, 3, 4}, other, 15, 8);
    // The words were cut, so nothing is assumed.
    check_moved(collective(Function::Alltoallw, 0), {4 * 2 + 1, 5}, other, 0, 0);
}

TEST_CASE("collectives of an intercommunicator count the other side") {
    Comm inter = comm_of(2, 1);
    inter.remote = {{2, 3, 1}};
    check_moved(collective(Function::Bcast, 10, peer::root), {}, inter, 30, 0);
    check_moved(collective(Function::Bcast, 10, peer::proc_null), {}, inter, 0, 0);
    check_moved(collective(Function::Bcast, 10, 0), {}, inter, 0, 10);
    check_moved(collective(Function::Allgather, 10), {}, inter, 10, 30);
}

TEST_CASE("a message is counted once on each side") {
    Record irecv = made_message(Function::Irecv, 0, 1, 0, 7, 64).record;
    irecv.what.flags = flag::starts;
    CHECK(bytes_moved(irecv, {}, nullptr).received == 0);
    Record wait = made_message(Function::Wait, 0, 1, 0, 7, 64).record;
    wait.what.flags = flag::completes;
    CHECK(bytes_moved(wait, {}, nullptr).received == 64);
    const Record waitall = made_call(Function::Waitall, 0, 1).record;
    const std::vector<std::int64_t> words = {
        5 * 2 + 1, 64, envelope_word(0, 7), 6 * 2, 7 * 2 + 1, 8, envelope_word(peer::proc_null, 0)};
    CHECK(bytes_moved(waitall, words, nullptr).received == 64);
    const Record both = made_message(Function::Sendrecv, 0, 1, 1, 7, 10).record;
    const std::vector<std::int64_t> half = {20, envelope_word(2, 8)};
    CHECK(bytes_moved(both, half, nullptr).sent == 10);
    CHECK(bytes_moved(both, half, nullptr).received == 20);
    CHECK(bytes_moved(made_message(Function::Probe, 0, 1, 1, 7, 10).record, {}, nullptr).received == 0);
    CHECK(bytes_moved(made_message(Function::Send, 0, 1, peer::proc_null, 7, 10).record, {}, nullptr).sent == 0);
}

TEST_CASE("a function that only a newer tactus knows is shown by number") {
    auto ranks = made_ranks(1);
    MadeRecord unknown = made_call(static_cast<Function>(function_count + 5), 0, 10);
    unknown.record.what.comm = 1;
    ranks[0].lanes = {{.records = {unknown}}};
    const TestFolder folder;
    const Profile profile = make_profile(opened(folder, ranks));
    REQUIRE(profile.functions.size() == 1);
    CHECK(profile.functions[0].name == "function " + std::to_string(function_count + 5));
}

TEST_CASE("the tracer's cost and losses come from the totals") {
    auto ranks = made_ranks(2);
    for (MadeRank& rank : ranks) {
        rank.lanes = {{.records = {made_call(Function::Wtime, 0, 10), made_call(Function::Wtime, 20, 30)}}};
        rank.definitions.totals[0].sealing = 1000;
        rank.definitions.totals[0].finishing = 2000;
        rank.definitions.totals[0].lost[static_cast<std::size_t>(Loss::unknown_handle)] = 3;
    }
    const TestFolder folder;
    const Trace trace = opened(folder, ranks);
    const TracerCost cost = tracer_cost(trace);
    CHECK(cost.recording_s == Approx(4 * 40e-9));
    CHECK(cost.sealing_s == Approx(2e-6));
    CHECK(cost.total_s() == Approx(4 * 40e-9 + 6e-6));
    CHECK(call_overhead(trace).mean_ns == Approx(40));
    for (const LossCount& loss : count_losses(trace)) CHECK(loss.count == (loss.name == "unknown_handle" ? 6 : 0));
}

TEST_CASE("losses of a rank that was killed come from its records") {
    auto ranks = made_ranks(1);
    ranks[0].closed = false;
    MadeRecord loss = made_call(Function::Abort, 0, 10);
    loss.record.what.kind = Kind::loss;
    loss.record.what.bytes = 12;
    loss.record.what.type = static_cast<std::uint32_t>(Loss::block_not_written);
    ranks[0].lanes = {{.records = {loss}}};
    const TestFolder folder;
    const auto counted = count_losses(opened(folder, ranks));
    CHECK(counted[static_cast<std::size_t>(Loss::block_not_written)].count == 12);
}

TEST_CASE("what starts of persistent requests move") {
    std::int64_t words[3 * Started::words];
    Started{.request = 1, .prepared = 9, .bytes = 40, .peer = 1, .function = Function::Send_init}.put(words);
    Started{.request = 2, .prepared = 8, .bytes = 8, .peer = 1, .function = Function::Recv_init}.put(words + 6);
    Started{.request = 3, .prepared = 7, .bytes = 16, .function = Function::Allreduce_init}.put(words + 12);
    const Record start = made_call(Function::Startall, 0, 1).record;
    const Comm four{.number = 1, .my_rank = 0, .members = {{0, 4, 1}}, .remote = {}, .name = {}};
    const auto comm_of = [&](std::uint32_t) { return &four; };
    CHECK(bytes_moved(start, words, comm_of).sent == 56);
    CHECK(bytes_moved(start, words, comm_of).received == 16);
    REQUIRE(messages_sent(start, words).size() == 1);
    CHECK(messages_sent(start, words)[0].bytes == 40);
    CHECK(messages_sent(made_message(Function::Send_init, 0, 1, 1, 0, 40).record, {}).empty());
}

TEST_CASE("neighbors at the edge of a grid are nobody") {
    const std::int32_t ranks[] = {-1, 0, -1, 1};
    const Comm grid{.number = 1,
                    .my_rank = 0,
                    .members = {{0, 2, 1}},
                    .remote = {},
                    .name = {},
                    .sources = runs_of(ranks),
                    .destinations = runs_of(ranks)};
    MadeRecord call = made_call(Function::Neighbor_alltoall, 0, 1);
    call.record.what.bytes = 8;
    CHECK(bytes_moved(call.record, {}, [&](std::uint32_t) { return &grid; }).sent == 16);
}
