// Events of windows and partitioned messages in a replay, for traces made by hand.
#include "postproc/replay/match_events.hpp"
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <fmt/format.h>

using namespace tactus;

namespace {

using Lines = std::vector<std::string>;

// Two ranks with one or two windows on MPI_COMM_WORLD. Each acts in one or several threads.
struct TwoRanks {
    std::vector<MadeRank> ranks = made_ranks(2);

    TwoRanks() {
        for (MadeRank& rank : ranks) {
            rank.lanes.resize(2);
            rank.lanes[1].number = 1;
            for (std::uint32_t i = 1; i <= 2; ++i)
                rank.definitions.windows.push_back(
                    {.number = i, .identity = 500 + i, .made_by = Function::Win_create, .comm = 1, .name = {}});
        }
    }

    void add(std::uint32_t rank, MadeRecord made, std::uint32_t lane = 0) {
        made.record.what.comm = 1;
        ranks[rank].lanes[lane].records.push_back(std::move(made));
    }
    void on_window(std::uint32_t rank, Function function, Ticks at, std::vector<std::int64_t> words = {},
                   std::int32_t window = 1) {
        MadeRecord made = made_call(function, at, at + 10);
        made.record.what.tag = window;
        made.words = std::move(words);
        add(rank, made);
    }

    // The events of each rank after the ranks have matched them: role, tick after the start, and the number in its
    // channel or group.
    [[nodiscard]] std::vector<Lines> events() const {
        const TestFolder folder;
        const std::string path = (folder.path() / "app.tactus").string();
        write_trace(path, ranks);
        const auto trace = Trace::open(path);
        REQUIRE(trace);
        std::vector<RankEvents> read;
        for (const RankFile& file : trace->ranks) read.push_back(events_of(file));
        LonelyWire wire;
        (void)match_events(read, wire);
        std::vector<Lines> lines;
        for (const RankEvents& rank : read) {
            lines.emplace_back();
            for (const Event& event : rank.events) lines.back().push_back(text(rank, event));
        }
        return lines;
    }

    static std::string text(const RankEvents& rank, const Event& event) {
        constexpr const char* names[] = {"none",  "send",       "receive", "probe",
                                         "enter", "enter_give", "exit",    "exit_take"};
        std::string which;
        if (is_message(event.role())) which = fmt::format(" series {}", rank.channels[event.index()].series);
        return fmt::format("{} {}{} #{}", event.tick - made_start, names[static_cast<int>(event.role())], which,
                           event.order);
    }
};

MadeRecord prepared(Function function, std::uint64_t request, Ticks at, std::int32_t peer) {
    MadeRecord made = made_message(function, at, at + 1, peer, 7, 100);
    made.record.request = request;
    made.record.what.flags = flag::starts;
    return made;
}

MadeRecord started(Function function, std::uint64_t request, std::uint64_t of, Ticks at, std::int32_t peer) {
    MadeRecord made = made_call(Function::Start, at, at + 1);
    made.words.resize(Started::words);
    Started{.request = request, .prepared = of, .bytes = 100, .peer = peer, .tag = 7, .comm = 1, .function = function}
        .put(made.words.data());
    return made;
}

MadeRecord ready(std::uint64_t request, Ticks at, Function function = Function::Pready) {
    MadeRecord made = made_call(function, at, at + 1);
    made.words = {static_cast<std::int64_t>(request), 0, 0};
    return made;
}

MadeRecord waited(std::uint64_t request, Ticks at) {
    MadeRecord made = made_message(Function::Wait, at, at + 10, 0, 7, 100);
    made.record.request = request;
    made.record.what.flags = flag::completes;
    return made;
}

} // namespace

TEST_CASE("a fence waits for all where it ends an epoch of fences", "[replay]") {
    TwoRanks run;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        run.on_window(rank, Function::Win_fence, 10, {0}); // the first fence, before which there is nothing
        run.on_window(rank, Function::Win_fence, 30, {0});
        run.on_window(rank, Function::Win_fence, 50, {fence::no_succeed});
        run.on_window(rank, Function::Win_fence, 70, {fence::no_precede | fence::no_store});
        run.on_window(rank, Function::Win_fence, 90, {fence::no_precede}); // its assertion is wrong
        run.on_window(rank, Function::Win_lock, 110);
        run.on_window(rank, Function::Win_fence, 130, {0});
    }
    const Lines wanted = {"10 enter_give #0", "20 exit #0",      "30 enter_give #1",  "40 exit_take #1",
                          "50 enter_give #2", "60 exit_take #2", "70 enter_give #3",  "80 exit #3",
                          "90 enter_give #4", "100 exit #4",     "130 enter_give #5", "140 exit #5"};
    CHECK(run.events() == std::vector{wanted, wanted});
}

TEST_CASE("a window's fences are apart from another's, and from the communicator's collectives", "[replay]") {
    TwoRanks run;
    for (std::uint32_t rank = 0; rank < 2; ++rank) {
        run.on_window(rank, Function::Win_fence, 10, {0}, 1 + static_cast<std::int32_t>(rank));
        run.on_window(rank, Function::Win_fence, 30, {0}, 2 - static_cast<std::int32_t>(rank));
        run.add(rank, made_call(Function::Barrier, 50, 60));
        run.on_window(rank, Function::Win_fence, 70, {0}, 1);
    }
    const Lines wanted = {"10 enter_give #0", "20 exit #0",      "30 enter_give #0", "40 exit #0",
                          "50 enter_give #0", "60 exit_take #0", "70 enter_give #1", "80 exit_take #1"};
    CHECK(run.events() == std::vector{wanted, wanted});
}

TEST_CASE("collectives that a member did not make are left out, and no others", "[replay]") {
    TwoRanks run;
    for (std::uint32_t rank = 0; rank < 2; ++rank) run.on_window(rank, Function::Win_fence, 10, {0});
    const std::vector<Lines> expected = run.events();
    CHECK(expected[0].size() == 2);
    for (const auto& [rank, at] : {std::pair{0U, 30U}, std::pair{1U, 30U}, std::pair{0U, 50U}}) {
        MadeRecord barrier = made_call(Function::Barrier, at, at + 10);
        barrier.record.what.comm = 1;
        run.add(rank, barrier);
    }
    CHECK(run.events() == expected);
}

TEST_CASE("the end of an exposure waits for the end of every access", "[replay]") {
    TwoRanks run;
    for (const Ticks at : {Ticks{100}, Ticks{200}}) {
        run.on_window(0, Function::Win_start, at, {1, 1, 1, 1}); // a group of rank 1
        run.on_window(0, Function::Win_complete, at + 20);
        run.on_window(1, Function::Win_post, at, {1, 0, 1, 1});
        run.on_window(1, at == 100 ? Function::Win_wait : Function::Win_test, at + 40);
    }
    run.on_window(0, Function::Win_complete, 300, {}, 2); // its MPI_Win_start was not seen
    CHECK(run.events() == std::vector<Lines>{{"120 send series 501 #0", "220 send series 501 #1"},
                                             {"150 receive series 501 #0", "250 receive series 501 #1"}});
}

TEST_CASE("partitioned messages belong to their pair, and leave with their last partition", "[replay]") {
    TwoRanks run;
    run.add(0, prepared(Function::Psend_init, 1, 10, 1));
    run.add(0, prepared(Function::Psend_init, 2, 20, 1));
    run.add(0, started(Function::Psend_init, 4, 2, 30, 1)); // the second pair starts first
    run.add(0, started(Function::Psend_init, 3, 1, 40, 1));
    run.add(0, ready(3, 50));
    run.add(0, ready(4, 60, Function::Pready_list));
    run.add(0, ready(4, 70, Function::Pready_range), 1); // by another thread
    run.add(0, started(Function::Psend_init, 5, 1, 80, 1));
    run.add(0, ready(5, 90));
    run.add(1, prepared(Function::Precv_init, 1, 10, 0));
    run.add(1, prepared(Function::Precv_init, 2, 20, 0));
    run.add(1, started(Function::Precv_init, 3, 1, 30, 0));
    run.add(1, started(Function::Precv_init, 4, 2, 40, 0));
    run.add(1, waited(4, 100));
    run.add(1, waited(3, 120));
    run.add(1, started(Function::Precv_init, 5, 1, 140, 0));
    run.add(1, waited(5, 150));
    CHECK(run.events() ==
          std::vector<Lines>{{"50 send series 1 #0", "70 send series 2 #0", "90 send series 1 #1"},
                             {"110 receive series 2 #0", "130 receive series 1 #0", "160 receive series 1 #1"}});
}

TEST_CASE("a collective may be prepared, started and ended by any thread", "[replay]") {
    for (std::uint32_t order = 0; order < 8; ++order) {
        TwoRanks run;
        for (std::uint32_t rank = 0; rank < 2; ++rank) {
            run.add(rank, prepared(Function::Alltoallv_init, 1, 10, peer::none), order & 1);
            // Rank 0 gives bytes to rank 1, which gives none. This is known from the preparation alone.
            const std::int64_t bytes = rank == 0 ? 8 : 0;
            constexpr std::int64_t two_ranks_alike = 5;
            run.ranks[rank].lanes[order & 1].records.back().words = {two_ranks_alike, bytes, two_ranks_alike,
                                                                     8 - bytes};
            run.add(rank, started(Function::Alltoallv_init, 3, 1, 30, peer::none), order >> 1 & 1);
            MadeRecord wait = made_call(Function::Wait, 50, 60);
            wait.record.request = 3;
            wait.record.what.flags = flag::completes;
            run.add(rank, wait, order >> 2 & 1);
        }
        CHECK(run.events() ==
              std::vector<Lines>{{"30 enter_give #0", "60 exit #0"}, {"30 enter #0", "60 exit_take #0"}});
    }
}

TEST_CASE("pairs that threads prepared with one envelope are left out", "[replay]") {
    TwoRanks run;
    run.add(0, prepared(Function::Psend_init, 1, 10, 1));
    run.add(0, prepared(Function::Psend_init, 2, 20, 1), 1);
    run.add(0, started(Function::Psend_init, 3, 1, 30, 1));
    run.add(0, ready(3, 40));
    run.add(1, prepared(Function::Precv_init, 1, 10, 0));
    run.add(1, prepared(Function::Precv_init, 2, 20, 0));
    run.add(1, started(Function::Precv_init, 3, 1, 30, 0));
    run.add(1, waited(3, 100));
    CHECK(run.events() == std::vector<Lines>(2));
}
