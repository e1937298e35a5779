// Compares the request table with a plain list: equal handles come back first in, first out, whatever happens to
// others.
#include "collector/requests.hpp"
#include "tests/unit/made/catch.hpp"
#include "trace/record.hpp"

#include <deque>
#include <map>
#include <random>
#include <thread>
#include <vector>

using namespace tactus;

TEST_CASE("requests come back in the order of their handle") {
    Requests table;
    std::map<std::uint64_t, std::deque<std::uint64_t>> model;
    std::mt19937 random{7};
    for (std::uint64_t step = 1; step < 200'000; ++step) {
        // A few handles occur many times (like Open MPI's finished one), and many handles once.
        const std::uint64_t handle = 1 + (random() % 4 == 0 ? random() % 3 : random() % 5000);
        if (random() % 2 == 0) {
            REQUIRE(table.add(handle, {.number = step, .kind = RequestKind::plain}));
            model[handle].push_back(step);
            continue;
        }
        const PendingRequest found = table.take(handle, 0, ~Ticks{0});
        auto& queue = model[handle];
        if (queue.empty()) {
            REQUIRE(found.kind == RequestKind::none);
            continue;
        }
        REQUIRE(found.number == queue.front());
        queue.pop_front();
    }
}

TEST_CASE("a hundred thousand open requests, begun and completed by several threads") {
    Requests table;
    table.use_lock(true);
    constexpr int threads = 4;
    constexpr std::uint64_t each = 25'000;
    std::vector<std::thread> team;
    std::vector<int> wrong(threads, 0);
    for (int t = 0; t < threads; ++t)
        team.emplace_back([&, t] {
            const std::uint64_t first = 1 + static_cast<std::uint64_t>(t) * each;
            for (std::uint64_t i = 0; i < each; ++i)
                table.add(first + i, {.number = first + i, .kind = RequestKind::receive});
            for (std::uint64_t i = each; i-- > 0;)
                if (table.take(first + i, 0, ~Ticks{0}).number != first + i) ++wrong[static_cast<std::size_t>(t)];
        });
    for (std::thread& thread : team) thread.join();
    for (const int count : wrong) CHECK(count == 0);
    CHECK(table.take(1, 0, ~Ticks{0}).kind == RequestKind::none);
}

TEST_CASE("a lane's own request comes before others with the same handle") {
    Requests table;
    for (std::uint64_t lane = 0; lane < 10; ++lane)
        table.add(7, {.number = request_number(lane, 100 + lane), .kind = RequestKind::plain});
    CHECK(table.take(7, 4, ~Ticks{0}).number == request_number(4, 104));
    // None of this lane is left, so the oldest is taken.
    CHECK(table.take(7, 4, ~Ticks{0}).number == request_number(0, 100));
    CHECK(table.take(7, 9, ~Ticks{0}).number == request_number(9, 109));
    for (const std::uint64_t lane : {1, 2, 3, 5, 6, 7, 8})
        CHECK(table.take(7, 99, ~Ticks{0}).number == request_number(lane, 100 + lane));
    CHECK(table.take(7, 0, ~Ticks{0}).kind == RequestKind::none);
}

TEST_CASE("a handle that another thread was given again means the request from before the call") {
    // Also where all of this happens within one step of a clock.
    const Timer before = chosen_timer();
    choose_timer(GENERATE(processor::counter, Timer::gettimeofday));
    Requests table;
    table.use_lock(true);
    table.add(7, {.number = request_number(0, 1), .kind = RequestKind::receive});
    const Ticks first_wait = table.since();
    // The MPI has completed the request. Before its thread takes it, another thread begins the next, and even completes
    // it.
    table.add(7, {.number = request_number(1, 2), .kind = RequestKind::receive});
    const Ticks second_wait = table.since();
    CHECK(table.look(7, 1).number == request_number(1, 2));
    SECTION("the second completes first") {
        CHECK(table.take(7, 1, second_wait).number == request_number(1, 2));
        CHECK(table.take(7, 0, first_wait).number == request_number(0, 1));
    }
    SECTION("the first does") {
        CHECK(table.take(7, 0, first_wait).number == request_number(0, 1));
        CHECK(table.take(7, 1, second_wait).number == request_number(1, 2));
    }
    CHECK(table.take(7, 0, second_wait).kind == RequestKind::none);
    choose_timer(before);
}

TEST_CASE("a persistent request completes once for each start, and stays") {
    Requests table;
    // A finished send left its handle behind.
    table.add(7, {.number = request_number(0, 1), .kind = RequestKind::plain});
    CHECK(table.take(7, 0, ~Ticks{0}).number == request_number(0, 1));
    const Preparation preparation{5, RequestKind::receive, {}};
    table.add(7, {.number = 5, .kind = RequestKind::receive, .active = false, .preparation = &preparation});
    CHECK(table.finish(7).kind == RequestKind::none); // it was not started
    CHECK(table.begin(8, 6, false).kind == RequestKind::none);
    for (std::uint64_t start = 10; start < 13; ++start) {
        CHECK(table.begin(7, start, false).preparation == &preparation);
        CHECK(table.look(7, 0).number == start);
        CHECK(table.finish(7).number == start);
        CHECK(table.finish(7).kind == RequestKind::none);
    }
    CHECK(table.take(7, 0, ~Ticks{0}).preparation == &preparation);
    CHECK(table.look(7, 0).kind == RequestKind::none);
}
