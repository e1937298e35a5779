// The handle table finds what was put into it, even while another thread makes it grow.
#include "base/mpi/handle_table.hpp"
#include "tests/unit/made/catch.hpp"

#include <atomic>
#include <thread>

using namespace tactus;

TEST_CASE("handles are found, freed and reused") {
    HandleTable table;
    CHECK(table.find(5) == 0);
    for (std::uint64_t key = 1; key < 10'000; ++key) REQUIRE(table.put(key * 64, key));
    for (std::uint64_t key = 1; key < 10'000; ++key) REQUIRE(table.find(key * 64) == key);
    for (std::uint64_t key = 1; key < 10'000; key += 2) table.put(key * 64, 0);
    for (std::uint64_t key = 1; key < 10'000; ++key) REQUIRE(table.find(key * 64) == (key % 2 == 1 ? 0 : key));
    CHECK(table.find(3) == 0);
}

TEST_CASE("readers see every entry while the table grows") {
    HandleTable table;
    std::atomic<std::uint64_t> ready{0};
    std::atomic<bool> failed{false};
    constexpr std::uint64_t count = 50'000;
    std::thread reader{[&] {
        while (ready.load(std::memory_order_acquire) < count) {
            const std::uint64_t upto = ready.load(std::memory_order_acquire);
            for (std::uint64_t key = upto > 100 ? upto - 100 : 1; key <= upto; ++key)
                if (key != 0 && table.find(key) != key + 1) failed = true;
        }
    }};
    for (std::uint64_t key = 1; key <= count; ++key) {
        table.put(key, key + 1);
        ready.store(key, std::memory_order_release);
    }
    reader.join();
    CHECK_FALSE(failed);
}
