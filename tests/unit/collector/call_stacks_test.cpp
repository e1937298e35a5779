// Copies of stacks come out as they were made, the oldest first, and those that find no room are counted.
#include "collector/call_stacks.hpp"
#include "tests/unit/made/catch.hpp"

#include <thread>
#include <vector>

using namespace tactus;

namespace {

thread_local std::uint64_t no_python = 0;

struct Taken {
    std::vector<Ticks> at;
    bool has_stack = true;
    bool is_own = true;
};

Taken take_all() {
    Taken taken;
    take_call_stacks(
        [](void* context, const CallStack& copy) {
            auto& all = *static_cast<Taken*>(context);
            all.at.push_back(copy.call.at);
            std::uint64_t word = 0;
            all.has_stack = all.has_stack && copy.stack.word(copy.registers.sp, word);
            all.is_own = all.is_own && copy.call.place == 7 && copy.call.lane == 3;
        },
        &taken);
    return taken;
}

void copy_at(Ticks at) {
    REQUIRE(copy_call_stack({.place = 7, .moment = -4, .at = at, .stands_for = 1, .lane = 3}, no_python) ==
            Copied::yes);
}

} // namespace

TEST_CASE("call stacks: copies are taken in the order in which they were made", "[kernel]") {
    Ticks next = 1;
    for (int round = 0; round < 5; ++round) { // so that the rooms are used again, from another one on
        std::vector<Ticks> made;
        for (int i = 0; i < 100; ++i) {
            made.push_back(next);
            copy_at(next++);
        }
        const Taken taken = take_all();
        CHECK(taken.at == made);
        CHECK(taken.has_stack);
        CHECK(taken.is_own);
    }
    CHECK(take_all().at.empty());
}

TEST_CASE("call stacks: where there is no room, a copy is lost and counted", "[kernel]") {
    const std::uint64_t before = lost_call_stacks();
    std::uint64_t refused = 0;
    for (Ticks at = 1; at <= 300; ++at)
        if (copy_call_stack({.place = 7, .moment = -4, .at = at, .stands_for = 1, .lane = 3}, no_python) ==
            Copied::no_room)
            ++refused;
    CHECK(refused == 300 - 256);
    CHECK(lost_call_stacks() - before == refused);
    CHECK(take_all().at.size() == 256);
    copy_at(1);
    CHECK(take_all().at.size() == 1);
}

TEST_CASE("call stacks: threads copy while another one takes", "[kernel]") {
    constexpr std::uint64_t each = 2000;
    const std::uint64_t before = lost_call_stacks();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([] {
            for (Ticks at = 1; at <= each; ++at)
                copy_call_stack({.place = 7, .moment = -4, .at = at, .stands_for = 1, .lane = 3}, no_python);
        });
    std::size_t taken = 0;
    bool right = true;
    for (int i = 0; i < 1000; ++i) {
        const Taken some = take_all();
        taken += some.at.size();
        right = right && some.has_stack && some.is_own;
    }
    for (std::thread& thread : threads) thread.join();
    taken += take_all().at.size();
    CHECK(right);
    CHECK(taken + lost_call_stacks() - before == 3 * each);
}
