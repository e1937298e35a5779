// The exported names' way to the wrappers: no argument is lost, and who sees a wrapper sees what was made ready for it.
#include "tests/unit/made/catch.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace {

using Words = std::array<std::uint64_t, 9>;
using Doubles = std::array<double, 9>;
struct Given {
    Words words{};
    Doubles doubles{};
    void* caller = nullptr;
};
Given given; // what the wrapper got
std::size_t asked = 99;

// More arguments than there are registers.
double wrapper(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d, std::uint64_t e, std::uint64_t f,
               std::uint64_t g, std::uint64_t h, std::uint64_t i, double j, double k, double l, double m, double n,
               double o, double p, double q, double r) {
    given = {.words = {a, b, c, d, e, f, g, h, i},
             .doubles = {j, k, l, m, n, o, p, q, r},
             .caller = __builtin_return_address(0)};
    return 0.5;
}

std::atomic<std::uint64_t> made_ready{0};
std::uint64_t early() { return 0; }
std::uint64_t late() { return made_ready.load(std::memory_order_relaxed); }

} // namespace

extern "C" {
extern void* tactus_entries[];
double made_entry(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                  std::uint64_t, std::uint64_t, std::uint64_t, double, double, double, double, double, double, double,
                  double, double);
void tactus_set_up(std::size_t index);
// Uses the registers that arguments come in.
void tactus_set_up(std::size_t index) {
    asked = index;
    volatile double number = 3;
    for (int i = 0; i < 3; ++i) number = std::pow(number, 1.5) + std::fma(number, 2.0, number);
    __atomic_store_n(&tactus_entries[0], reinterpret_cast<void*>(&wrapper), __ATOMIC_RELEASE);
}
}

TEST_CASE("entries: the first call sets up, and the wrapper gets all its arguments and sees who called") {
    for (const std::size_t index : {std::size_t{0}, std::size_t{99}}) { // the second call goes straight to the wrapper
        given = {};
        CHECK(made_entry(1, 2, 3, 4, 5, 6, 7, 8, 9, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5) == 0.5);
        CHECK(asked == index);
        CHECK(given.words == Words{1, 2, 3, 4, 5, 6, 7, 8, 9});
        CHECK(given.doubles == Doubles{1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5});
        const auto distance =
            static_cast<char*>(given.caller) - reinterpret_cast<char*>(&made_entry); // both in this program
        CHECK(std::abs(distance) < (1 << 28));
        asked = 99;
    }
}

// A processor that carries out loads in another order than they are in the program could find the new address and the
// old state behind it.
TEST_CASE("entries: a thread that reaches a wrapper sees what was written before its address") {
    constexpr std::uint64_t rounds = 1'000; // on a busy machine each takes milliseconds
    const auto call = reinterpret_cast<std::uint64_t (*)()>(reinterpret_cast<void*>(&made_entry));
    const auto point_at = [](std::uint64_t (*function)()) {
        __atomic_store_n(&tactus_entries[0], reinterpret_cast<void*>(function), __ATOMIC_RELEASE);
    };
    point_at(early);
    std::atomic<std::uint64_t> seen{0};
    std::uint64_t wrong = 0;
    std::thread caller{[&] {
        for (std::uint64_t round = 1; round <= rounds; ++round) {
            std::uint64_t got = 0;
            while ((got = call()) == 0) std::this_thread::yield();
            if (got != round) ++wrong;
            seen.store(round, std::memory_order_release);
            while (call() != 0) std::this_thread::yield();
            seen.store(round + rounds, std::memory_order_release);
        }
    }};
    const auto wait_for = [&](std::uint64_t what) {
        while (seen.load(std::memory_order_acquire) != what) std::this_thread::yield();
    };
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        made_ready.store(round, std::memory_order_relaxed);
        point_at(late);
        wait_for(round);
        point_at(early);
        wait_for(round + rounds);
    }
    caller.join();
    CHECK(wrong == 0);
}
