// Which places of two builds of a program `tactus diff` takes for the same.
#include "cli/report/diff_places.hpp"
#include "cli/report/scaling.hpp"
#include "tests/unit/made/catch.hpp"

#include <string>

using namespace tactus;

namespace {

SidePlace at(int line, const std::string& function = "exchange", const std::string& what = "MPI_Send") {
    return {.what = what, .at = "heat.c:" + std::to_string(line), .function = function, .file = "heat.c", .line = line};
}

// "10-20 30-": line 10 before is line 20 after, and 30 is only before.
std::string paired(const std::vector<SidePlace>& before, const std::vector<SidePlace>& after) {
    std::string text;
    for (const PlacePair& pair : pairs_of(before, after)) {
        if (!text.empty()) text += " ";
        if (pair.before != nullptr) text += std::to_string(pair.before->line);
        text += "-";
        if (pair.after != nullptr) text += std::to_string(pair.after->line);
    }
    return text;
}

} // namespace

TEST_CASE("diff: lines that moved together are the same places") {
    CHECK(paired({at(10), at(20)}, {at(20), at(30)}) == "10-20 20-30");
    CHECK(paired({at(10), at(20)}, {at(10), at(20)}) == "10-10 20-20");
    SidePlace through_a = at(10);
    SidePlace through_b = at(10);
    through_a.at += " (through a)";
    through_b.at += " (through b)";
    const std::vector<SidePlace> both = {through_a, through_b};
    const std::vector<SidePlace> one = {through_b};
    for (const PlacePair& pair : pairs_of(both, one))
        CHECK((pair.after == nullptr || pair.before == &both[1])); // on one line, but through different functions
}

TEST_CASE("diff: a place that is new or gone is alone") {
    CHECK(paired({at(10), at(20), at(30)}, {at(10), at(30)}) == "10-10 30-30 20-");
    CHECK(paired({at(10)}, {at(9), at(40)}) == "10-9 -40");
    CHECK(paired({at(10)}, {at(100)}) == "10- -100"); // far from each other
}

TEST_CASE("diff: other functions and calls are other places") {
    CHECK(paired({at(10, "exchange")}, {at(12, "start")}) == "10- -12");
    CHECK(paired({at(10)}, {at(12, "exchange", "MPI_Recv")}) == "-12 10-");
    // The same text is the same place, such as in a function that is a part of its caller now.
    CHECK(paired({at(10, "exchange")}, {at(10, "main")}) == "10-10");
}

TEST_CASE("diff: what has no line is the same where its text is") {
    const SidePlace function{.what = "MPI_Send", .seconds = 1};
    const SidePlace address{.what = "MPI_Send", .at = "app+0x10"};
    const SidePlace other{.what = "MPI_Send", .at = "app+0x18"};
    const std::vector<SidePlace> before = {function, address};
    const std::vector<SidePlace> after = {function, other};
    const auto pairs = pairs_of(before, after);
    REQUIRE(pairs.size() == 3);
    CHECK((pairs[0].before == &before[0] && pairs[0].after == &after[0]));
}

TEST_CASE("scaling: global efficiency is parallel efficiency times the scaling of computation") {
    std::vector<ScaledRun> runs = {{.trace = "a", .ranks = 2, .wall_s = 10, .computed_s = 16, .parallel = 0.8},
                                   {.trace = "b", .ranks = 4, .wall_s = 6, .computed_s = 20, .parallel = 0.75},
                                   {.trace = "c", .ranks = 8, .wall_s = 3, .computed_s = 0, .parallel = 0.5}};
    find_scaling(runs, false);
    CHECK(*runs[0].computation == 1);
    CHECK(runs[1].speedup == Approx(10.0 / 6));
    CHECK(*runs[1].computation == Approx(0.8));
    CHECK(*runs[1].global() == Approx(0.6));
    CHECK_FALSE(runs[2].computation); // nothing was computed
    CHECK_FALSE(runs[2].global());
    find_scaling(runs, true);
    CHECK(*runs[1].computation == Approx(1.6));
    CHECK(runs[1].speedup == Approx(2 * 10.0 / 6));
}
