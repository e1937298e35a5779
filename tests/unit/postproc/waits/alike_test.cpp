// What many ranks cause alike becomes one row.
#include "postproc/waits/alike.hpp"
#include "tests/unit/made/catch.hpp"

using namespace tactus;

namespace {

struct Item {
    char key;
    double seconds;
};
using Rows = std::vector<std::vector<std::size_t>>;

// The rows of items with one key.
Rows rows_of(const std::vector<Item>& items) {
    return rows_alike(
        items, [](const Item& item) { return item.key; }, [](const Item& item) { return item.seconds; });
}

std::vector<Item> with(std::vector<Item> first, std::size_t count, Item more) {
    first.insert(first.end(), count, more);
    return first;
}

} // namespace

TEST_CASE("rows: who causes a twentieth of what is alike has a row of its own, and so have three or fewer") {
    CHECK(rows_of({}).empty());
    CHECK(rows_of(with({}, 20, {'a', 1})).size() == 20);
    CHECK(rows_of(with({}, 21, {'a', 1})).size() == 1);
    CHECK(rows_of(with({{'a', 90}}, 3, {'a', 1})) == Rows{{0}, {1}, {2}, {3}});
    CHECK(rows_of(with({{'a', 90}}, 4, {'a', 1})) == Rows{{0}, {1, 2, 3, 4}});
    CHECK(rows_of(with({{'a', 90}, {'a', 80}}, 4, {'a', 1})) == Rows{{0}, {1}, {2, 3, 4, 5}});
    CHECK(rows_of(with({}, 4, {'a', 0})) == Rows{{0, 1, 2, 3}});
}

TEST_CASE("rows: they are in the order of their sums, and items with other keys are other rows") {
    CHECK(rows_of(with({{'b', 5}}, 30, {'a', 1})).front().size() == 30);
    CHECK(rows_of(with({{'b', 50}}, 30, {'a', 1})).front() == std::vector<std::size_t>{0});
    CHECK(rows_of({{'b', 2}, {'a', 2}, {'b', 1}}) == Rows{{0}, {1}, {2}});
}
