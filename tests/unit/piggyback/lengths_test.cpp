#include "piggyback/lengths.hpp"
#include "tests/unit/made/catch.hpp"

#include <vector>

using namespace tactus;

TEST_CASE("every size has a length of its own, and takes no more room in a large receive than its size") {
    for (const std::uint64_t most : {64U, 65U, 2048U, 2049U}) {
        const Lengths lengths{.most_headed = most};
        const std::uint64_t all = lengths.longest_headed() + 100;
        std::vector<int> seen(all + 1);
        for (std::uint64_t size = 0; size <= all; ++size) {
            const std::uint64_t length = lengths.length_of(size);
            REQUIRE(length <= all);
            ++seen[length];
            REQUIRE(lengths.size_at(length) == size);
            REQUIRE(lengths.form_at(length) == lengths.form_of(size));
        }
        for (const int times : seen) REQUIRE(times == 1);
    }
}

TEST_CASE("what has no header does not take the room of a header") {
    const Lengths lengths{.most_headed = 2048};
    REQUIRE(lengths.form_of(2048) == Form::headed);
    REQUIRE(lengths.length_of(2048) == 2080);
    REQUIRE(lengths.form_of(2049) == Form::side_message);
    REQUIRE(lengths.form_of(2080) == Form::side_message);
    REQUIRE(lengths.form_of(2081) == Form::bare);
    REQUIRE(lengths.length_of(2081) == 2081);
}

TEST_CASE("what goes apart has room for a number, and fills elements of 8 bytes as its data does") {
    const Lengths lengths{.most_headed = 2048};
    int short_ones = 0;
    for (std::uint64_t size = 2049; size <= 2080; ++size) {
        REQUIRE(lengths.length_of(size) % 8 == size % 8);
        REQUIRE(lengths.length_of(size) >= 4);
        if (lengths.length_of(size) < 8) ++short_ones;
    }
    REQUIRE(short_ones == 1);
}

TEST_CASE("tiny messages go as they are, but for one int") {
    const Lengths lengths{.most_headed = 64};
    for (const std::uint64_t size : {0U, 1U, 3U, 5U, 7U}) {
        REQUIRE(lengths.form_of(size) == Form::split);
        REQUIRE(lengths.length_of(size) == size);
    }
    REQUIRE(lengths.form_of(4) == Form::headed);
    REQUIRE(lengths.form_of(8) == Form::headed);
}

TEST_CASE("without a limit every message has a header") {
    const Lengths lengths;
    REQUIRE(lengths.form_of(1 << 30) == Form::headed);
    REQUIRE(lengths.form_of(0) == Form::headed);
    REQUIRE(lengths.size_at(lengths.length_of(1 << 30)) == 1 << 30);
    REQUIRE(lengths.form_at(3) == Form::bare);
    REQUIRE(lengths.size_at(3) == 3);
}

TEST_CASE("with all headers beside, lengths are sizes") {
    const Lengths lengths{.most_headed = 0, .all_split = true};
    for (const std::uint64_t size : {0U, 4U, 24U, 100000U}) {
        REQUIRE(lengths.form_of(size) == Form::split);
        REQUIRE(lengths.form_at(size) == Form::split);
        REQUIRE(lengths.size_at(lengths.length_of(size)) == size);
    }
}
