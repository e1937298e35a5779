#include "piggyback/header.hpp"
#include "tests/unit/made/catch.hpp"

#include <cstring>
#include <random>
#include <set>

using namespace tactus;

namespace {

constexpr std::uint64_t key = 0x0123456789abcdef;
constexpr Envelope envelope{.source = 3, .tag = 77};

MessageHeader some_header() {
    MessageHeader header{.delay = 1.5, .send_time = 2e9, .send_id = 12};
    header.check = check_of(header, envelope, key);
    return header;
}

bool is_good(const MessageHeader& header, Envelope from = envelope, std::uint64_t with = key) {
    return header.check == check_of(header, from, with);
}

} // namespace

TEST_CASE("a header is known by its check value, whichever bit of it or of its envelope changes") {
    const MessageHeader header = some_header();
    REQUIRE(is_good(header));
    for (std::size_t bit = 0; bit < 8 * header_bytes; ++bit) {
        unsigned char bytes[header_bytes];
        std::memcpy(bytes, &header, header_bytes);
        bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ 1U << bit % 8);
        MessageHeader changed;
        std::memcpy(&changed, bytes, header_bytes);
        CHECK_FALSE(is_good(changed));
    }
    CHECK_FALSE(is_good(header, {.source = 4, .tag = 77}));
    CHECK_FALSE(is_good(header, {.source = 3, .tag = 78}));
    CHECK_FALSE(is_good(header, envelope, key + 1));
}

TEST_CASE("the data of a program does not pass for a header") {
    std::mt19937_64 random{1};
    for (const int fill : {0x00, 0x01, 0x7f, 0xff}) {
        MessageHeader data;
        std::memset(static_cast<void*>(&data), fill, sizeof data);
        CHECK_FALSE(is_good(data));
    }
    for (int i = 0; i < 100'000; ++i) {
        MessageHeader data{.delay = 0, .send_time = static_cast<double>(i), .send_id = random(), .check = random()};
        REQUIRE_FALSE(is_good(data));
    }
}

TEST_CASE("a mark is known by its first 4 bytes and better by 8, and each count has its own") {
    std::set<std::uint64_t> marks;
    for (const std::uint32_t count : {1U, 2U, 65535U, 65536U, 65537U, 0xffffffffU}) {
        const std::uint64_t mark = mark_of(count, envelope, 2076, key);
        CHECK(marks.insert(mark).second);
        for (const std::size_t length : {4U, 8U, 39U}) {
            CHECK(is_mark(mark, length, envelope, 2076, key));
            CHECK_FALSE(is_mark(mark ^ 0x10000U, length, envelope, 2076, key));
            CHECK_FALSE(is_mark(mark, length, envelope, 2068, key));
            CHECK_FALSE(is_mark(mark, length, {.source = 2, .tag = 77}, 2076, key));
        }
        CHECK_FALSE(is_mark(mark ^ std::uint64_t{1} << 48U, 8, envelope, 2076, key));
    }
}

TEST_CASE("few small numbers pass for a mark of 4 bytes") {
    int passed = 0;
    for (std::uint64_t number = 0; number < 1'000'000; ++number)
        if (is_mark(number, 4, envelope, 2076, key)) ++passed;
    CHECK(passed < 50); // one in 65,536 is to be expected
    CHECK(passed > 2);
}
