// Lists that must run in step: the errors that base/in_step.hpp finds in them. This is checked while compiling.
#include "base/in_step.hpp"
#include "tests/unit/made/catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {
namespace {

enum class Fruit : std::uint8_t { apple, pear, plum };
struct FruitRow {
    Fruit fruit;
    const char* name;
};
constexpr FruitRow all[] = {{Fruit::apple, "apple"}, {Fruit::pear, "pear"}, {Fruit::plum, "plum"}};
constexpr FruitRow without_last[] = {{Fruit::apple, "apple"}, {Fruit::pear, "pear"}};
constexpr FruitRow exchanged[] = {{Fruit::apple, "apple"}, {Fruit::plum, "plum"}, {Fruit::pear, "pear"}};
constexpr FruitRow twice[] = {
    {Fruit::apple, "apple"}, {Fruit::pear, "pear"}, {Fruit::plum, "plum"}, {Fruit::plum, "plum"}};

struct Inner {
    int first = 0;
    int second = 0;
};
struct Full {
    std::vector<int> list;
    std::string text;
    Inner inner;
    Fruit fruit{};
    static constexpr void fields(auto& self, auto&& field) {
        field("list", self.list);
        field("text", self.text);
        field("inner", self.inner);
        field("fruit", self.fruit);
    }
};
struct Forgetful {
    double known = 0;
    double forgotten = 0;
    static constexpr void fields(auto& self, auto&& field) { field("known", self.known); }
};

} // namespace

TEST_CASE("a table is in step when each enumerator has its row, in order") {
    STATIC_REQUIRE(in_step(all, &FruitRow::fruit));
    STATIC_REQUIRE(!in_step(without_last, &FruitRow::fruit));
    STATIC_REQUIRE(!in_step(exchanged, &FruitRow::fruit));
    STATIC_REQUIRE(!in_step(twice, &FruitRow::fruit));
}

TEST_CASE("fields that are listed are as many as there are members") {
    STATIC_REQUIRE(member_count<Full>() == 4);
    STATIC_REQUIRE(field_count<Full>() == 4);
    STATIC_REQUIRE(member_count<Forgetful>() == 2);
    STATIC_REQUIRE(field_count<Forgetful>() == 1);
}

} // namespace tactus
