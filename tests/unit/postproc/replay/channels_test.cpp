// Tables by number stay small whatever the numbers are made of.
#include "postproc/replay/channels.hpp"
#include "tests/unit/made/catch.hpp"

#include <set>

using namespace tactus;

TEST_CASE("every bit of a number affects the low bits of its hash") {
    // Pairs of ranks, as of two ranks of which one waits for the other; the low 16 bits choose one of 2^16 buckets.
    std::set<std::size_t> buckets;
    for (std::uint64_t low = 0; low < 256; ++low)
        for (std::uint64_t high = 0; high < 256; ++high) buckets.insert(Mixed{}(low << 32 | high) & 0xffff);
    CHECK(buckets.size() > 32768); // by chance 41,427 of 65,536
}
