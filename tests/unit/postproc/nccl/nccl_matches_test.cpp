// Operations of NCCL matched across ranks: what matches, who was late, what that cost, and how fast it was.
#include "postproc/nccl/bandwidth.hpp"
#include "postproc/nccl/summary.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/made_nccl.hpp"

using namespace tactus;

namespace {

struct Analyzed {
    NcclParts parts;
    NcclMatches matches;
    NcclSummary summary;
};

void analyze(const std::vector<MadeRank>& ranks, Analyzed& out, const Window& window = {}) {
    const TestFolder folder;
    write_trace(folder.path() / "app.tactus", ranks);
    const auto trace = Trace::open((folder.path() / "app.tactus").string());
    REQUIRE(trace);
    CHECK(has_nccl(*trace));
    out.parts = read_nccl(*trace);
    out.matches = match_nccl(out.parts);
    out.summary = summarize_nccl(out.parts, out.matches, window);
    CHECK(out.parts.unreadable.empty());
}

// Gives each rank its records, in one lane.
std::vector<MadeRank> ranks_with(const std::vector<std::vector<MadeNccl>>& of_ranks) {
    std::vector<MadeRank> ranks = made_nccl_ranks(static_cast<std::uint32_t>(of_ranks.size()));
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        ranks[i].lanes = {{.number = 3, .records = {}}};
        for (const MadeNccl& record : of_ranks[i]) ranks[i].lanes[0].records.push_back(made_nccl(record));
    }
    return ranks;
}

} // namespace

TEST_CASE("who comes last to a collective makes the others wait", "[nccl]") {
    Analyzed run;
    analyze(
        ranks_with({{{.start = 1000, .end = 9000}}, {{.start = 5000, .end = 9100}}, {{.start = 2000, .end = 9200}}}),
        run);
    REQUIRE(run.matches.matches.size() == 1);
    const NcclMatch& match = run.matches.matches[0];
    CHECK(match.has_all());
    CHECK(match.worst == NcclSpan::full);
    CHECK(match.arrival_ns() == 4000);
    CHECK(match.transfer_ns() == 4200);
    CHECK(match.gpu_within_ns == 10);
    CHECK(run.matches.parts[match.late]->rank == 1);
    CHECK(match.wait_ns(*run.matches.parts[0]) == 4000);
    CHECK(match.wait_ns(*run.matches.parts[1]) == 0);
    CHECK(match.wait_ns(*run.matches.parts[2]) == 3000);
    REQUIRE(run.summary.late.size() == 1);
    CHECK(run.summary.late[0].rank == 1);
    CHECK(run.summary.late[0].last == 1);
    CHECK(run.summary.late[0].caused_ns == 7000);
    REQUIRE(run.summary.waits.size() == 2);
    CHECK(run.summary.waits[0].rank == 0);
    CHECK(run.summary.waits[0].causer == 1);
    CHECK(run.summary.waits[0].function == "AllReduce");
    CHECK(run.summary.waits[0].ns == 4000);
    CHECK(run.summary.waits[1].rank == 2);
}

TEST_CASE("only what has the same communicator, function and sequence is one operation", "[nccl]") {
    using enum MadeFunction;
    Analyzed run;
    analyze(ranks_with({{{.function = AllReduce, .sequence = 0, .start = 1000, .end = 2000},
                         {.function = AllGather, .sequence = 0, .start = 3000, .end = 4000},
                         {.function = AllReduce, .sequence = 1, .start = 5000, .end = 6000}},
                        {{.function = AllReduce, .sequence = 1, .start = 5500, .end = 6000},
                         {.function = AllReduce, .sequence = 2, .start = 7000, .end = 8000},
                         {.function = AllGather, .sequence = 0, .start = 8500, .end = 9000}}}),
            run);
    REQUIRE(run.matches.matches.size() == 4);
    CHECK(run.summary.operations == 4);
    CHECK(run.summary.incomplete == 2); // AllReduce 0 and 2
    CHECK(run.summary.matched == 6);
    CHECK(run.summary.late.size() == 1);
    CHECK(run.summary.late[0].caused_ns == 500 + 5500);
}

TEST_CASE("an AlltoAll of sends and receives is matched, other groups and sends are not", "[nccl]") {
    using enum MadeFunction;
    const std::vector<MadeNccl> records = {{.function = AlltoAll, .start = 1000, .end = 2000, .kind = NcclKind::group},
                                           {.function = Send, .start = 3000, .end = 4000, .kind = NcclKind::group},
                                           {.function = Send, .start = 5000, .end = 6000, .kind = NcclKind::p2p}};
    Analyzed run;
    analyze(ranks_with({records, records}), run);
    CHECK(run.matches.matches.size() == 1);
    CHECK(run.matches.alone == 4);
}

TEST_CASE("a communicator's id may be used again", "[nccl]") {
    auto ranks = ranks_with({{{.start = 1000, .end = 2000}, {.start = 5000, .end = 6000, .comm = 2}},
                             {{.start = 1500, .end = 2000}, {.start = 5700, .end = 6000, .comm = 2}}});
    for (MadeRank& rank : ranks) {
        rank.definitions.nccl_comms.push_back(rank.definitions.nccl_comms[0]);
        rank.definitions.nccl_comms[1].number = 2;
    }
    Analyzed run;
    analyze(ranks, run);
    REQUIRE(run.matches.matches.size() == 2);
    CHECK(run.matches.ambiguous == 0);
    CHECK(run.summary.late[0].caused_ns == 500 + 700);
}

TEST_CASE("a process with two GPUs is two members", "[nccl]") {
    auto ranks = ranks_with({{{.start = 1000, .end = 2000}, {.start = 1600, .end = 2000, .comm = 2}}});
    auto& comms = ranks[0].definitions.nccl_comms;
    comms.push_back(comms[0]);
    comms[1].number = 2;
    comms[1].rank = 1;
    comms[0].ranks = comms[1].ranks = 2;
    Analyzed run;
    analyze(ranks, run);
    REQUIRE(run.matches.matches.size() == 1);
    CHECK(run.matches.matches[0].has_all());
    CHECK(run.matches.matches[0].arrival_ns() == 600);
}

TEST_CASE("without an id, or with the same said twice, nothing is matched", "[nccl]") {
    auto ranks = ranks_with({{{.start = 1000, .end = 2000}}, {{.start = 1500, .end = 2000}}});
    for (MadeRank& rank : ranks) rank.definitions.nccl_comms[0].id = 0;
    Analyzed run;
    analyze(ranks, run);
    CHECK(run.matches.matches.empty());
    CHECK(run.matches.alone == 2);

    Analyzed twice;
    analyze(ranks_with({{{.start = 1000, .end = 2000}, {.start = 3000, .end = 4000}}, {{.start = 1500, .end = 2000}}}),
            twice);
    CHECK(twice.matches.matches.empty());
    CHECK(twice.matches.ambiguous == 3);
}

TEST_CASE("of operations that are known in part nothing is said that is not known", "[nccl]") {
    Analyzed run;
    analyze(ranks_with({{{.start = 1000, .end = 9000}},
                        {{.start = 7000, .end = 7010, .span = NcclSpan::enqueue_only, .flags = 0}},
                        {{.start = 2000, .end = 9500, .span = NcclSpan::partial}}}),
            run);
    REQUIRE(run.matches.matches.size() == 1);
    CHECK(run.matches.matches[0].worst == NcclSpan::enqueue_only);
    CHECK(run.matches.matches[0].timed == 2);
    CHECK(run.matches.matches[0].arrival_ns() == 1000); // not 6000
    REQUIRE(run.summary.classes.size() == 1);
    const NcclClass& nccl_class = run.summary.classes[0];
    CHECK(nccl_class.spans == std::array<std::uint64_t, 5>{0, 1, 1, 0, 1});
    CHECK(nccl_class.length.count == 2);
    CHECK(nccl_class.by_span.count == 1);     // only the full part counts
    CHECK(nccl_class.by_transfer.count == 0); // because not all parts are full
    CHECK(run.summary.late[0].certain == 0);
}

TEST_CASE("bandwidths are those of nccl-tests", "[nccl]") {
    using enum MadeFunction;
    const auto of = [](MadeFunction function, std::uint8_t flags = NcclTag::drawn) {
        Analyzed run;
        std::vector<std::vector<MadeNccl>> records(4);
        for (Ticks i = 0; i < 4; ++i)
            records[i] = {
                {.function = function, .start = 1000 + 1000 * i, .end = 12'000, .bytes = 1 << 20, .flags = flags}};
        analyze(ranks_with(records), run);
        return run.summary.classes.at(0);
    };
    const NcclClass reduced = of(AllReduce);
    CHECK(reduced.least_bytes == 1 << 20);
    CHECK(reduced.by_transfer.algorithm_gbs() == Approx((1 << 20) / 8000.0)); // from 4000 to 12'000
    CHECK(reduced.by_transfer.bus_gbs() == Approx((1 << 20) / 8000.0 * 1.5));
    CHECK(reduced.by_span.algorithm_gbs() == Approx(4.0 * (1 << 20) / (11'000 + 10'000 + 9000 + 8000)));
    CHECK(reduced.arrival_share() == Approx(3000.0 / 11'000));
    const NcclClass all_gather = of(AllGather);
    CHECK(all_gather.by_transfer.algorithm_gbs() == Approx(4.0 * (1 << 20) / 8000));
    CHECK(all_gather.by_transfer.bus_gbs() == Approx(3.0 * (1 << 20) / 8000));
    CHECK(of(AllReduce, NcclTag::batched).by_span.count == 0);
    CHECK(nccl_factors(NcclKind::coll, "AllReduce", 1).bus == 0);
    CHECK(nccl_factors(NcclKind::coll, "SomethingNew", 8).bus == 0);
}

TEST_CASE("work for other processes is joined to what it was done for", "[nccl]") {
    const auto proxy = [](std::int64_t pid, std::int64_t parent) {
        return MadeNccl{.function = MadeFunction::proxy,
                        .start = 5000,
                        .end = 6000,
                        .kind = NcclKind::proxy_op,
                        .span = NcclSpan::none,
                        .flags = NcclTag::foreign,
                        .parent = parent,
                        .pid = pid};
    };
    auto ranks = ranks_with({{{.start = 1000, .end = 2000, .handle = 7}}, {proxy(1000, 7), proxy(1000, 8)}});
    Analyzed run;
    analyze(ranks, run);
    CHECK(run.parts.foreign.joined == 1);
    CHECK(run.parts.foreign.unjoined == 1);
    ranks[1].header.host = "node2"; // on which another process has the same number
    Analyzed elsewhere;
    analyze(ranks, elsewhere);
    CHECK(elsewhere.parts.foreign.joined == 0);
}

TEST_CASE("a window has the operations that end in it", "[nccl]") {
    const auto ranks =
        ranks_with({{{.sequence = 0, .start = 1000, .end = 2000}, {.sequence = 1, .start = 3000, .end = 5000}},
                    {{.sequence = 0, .start = 1500, .end = 2000}, {.sequence = 1, .start = 4000, .end = 5000}}});
    Analyzed run;
    analyze(ranks, run);
    CHECK(run.summary.operations == 2);
    const GlobalTime middle = run.parts.parts[0].end + 8 * 500;
    Analyzed first;
    analyze(ranks, first, {.from = {}, .to = middle});
    CHECK(first.summary.operations == 1);
    CHECK(first.summary.late[0].caused_ns == 500);
    Analyzed last;
    analyze(ranks, last, {.from = middle, .to = {}});
    CHECK(last.summary.late[0].caused_ns == 1000);
}
