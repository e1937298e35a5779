// Structs, among them definitions, are written as bytes and read back.
#include "tests/unit/made/catch.hpp"
#include "trace/definitions.hpp"
#include "trace/fields.hpp"
#include "trace/words.hpp"

#include <random>

using namespace tactus;

namespace {
struct Old {
    std::uint32_t number = 1;
    static constexpr void fields(auto& self, auto&& field) { field("number", self.number); }
};
struct New {
    std::uint32_t number = 1;
    std::string text = "default";
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("text", self.text);
    }
};
} // namespace

TEST_CASE("old readers skip new fields, new readers fill in what old writers lacked") {
    Bytes bytes;
    write_value(bytes, New{5, "more"});
    write_value(bytes, Old{6});
    ByteReader in{bytes};
    Old old;
    New fresh;
    read_value(in, old);
    read_value(in, fresh);
    CHECK(in.ok());
    CHECK(old.number == 5);
    CHECK(fresh.number == 6);
    CHECK(fresh.text == "default");
    CHECK(describe_fields<New>() == "number:u text:s");
}

TEST_CASE("definitions come back") {
    Definitions out;
    out.comms.push_back(
        {.number = 3, .identity = 99, .my_rank = 1, .members = {{0, 4, 2}}, .remote = {}, .name = "halves"});
    out.modules.push_back({1, 2, 3, "/bin/app", "ab12"});
    out.anchors.push_back({10, -5, 7});
    Bytes bytes;
    write_value(bytes, out);
    Definitions in;
    ByteReader reader{bytes};
    read_value(reader, in);
    REQUIRE(reader.ok());
    CHECK(in.comms.front().name == "halves");
    CHECK(in.comms.front().world_rank(3) == 6);
    CHECK(in.comms.front().world_rank(4) == -1);
    CHECK(in.modules.front().build_id == "ab12");
    CHECK(in.anchors.front().monotonic_ns == -5);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        ByteReader cut{ByteView{bytes}.first(size)};
        Definitions part;
        read_value(cut, part);
        CHECK_FALSE(cut.ok());
    }
}

TEST_CASE("runs of ranks keep the order and stay short") {
    const auto round_trip = [](const std::vector<std::int32_t>& ranks) {
        Comm comm;
        comm.members = runs_of(ranks);
        Comm back;
        REQUIRE(from_words(to_words(comm), back));
        REQUIRE(back.size() == ranks.size());
        for (std::size_t i = 0; i < ranks.size(); ++i) CHECK(back.world_rank(static_cast<std::int64_t>(i)) == ranks[i]);
        return comm.members.size();
    };
    std::vector<std::int32_t> world(4096);
    for (std::size_t i = 0; i < world.size(); ++i) world[i] = static_cast<std::int32_t>(i);
    CHECK(round_trip(world) == 1);
    CHECK(round_trip({0, 2, 4, 6}) == 1);
    CHECK(round_trip({3, 2, 1, 0}) == 1);
    round_trip({5});
    round_trip({0, 1, 5, 9, 2, -1, -1, 7});
    std::mt19937 random{4};
    for (int i = 0; i < 200; ++i) {
        std::vector<std::int32_t> ranks(1 + random() % 30);
        for (auto& rank : ranks) rank = static_cast<std::int32_t>(random() % 50) - 1;
        round_trip(ranks);
    }
}
