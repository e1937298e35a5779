// Members of a collective are answered as soon as those that they take from have come, and not later.
#include "postproc/replay/meeting.hpp"
#include "tests/unit/made/catch.hpp"

#include <map>
#include <optional>

using namespace tactus;

namespace {

struct Latest {
    static int stronger(int a, int b) { return std::max(a, b); }
};

class Hall {
  public:
    Hall(std::uint32_t size, TakesFrom takes_from, std::uint32_t first) : meeting_{size} {
        group_.takes_from = takes_from;
        group_.first = first;
        group_.members.resize(size);
    }

    bool give(std::uint32_t member, int note) { return come(member, {note, true, false, {}}); }
    bool take(std::uint32_t member, std::vector<std::uint32_t> from = {}) {
        return come(member, {0, false, true, std::move(from)});
    }
    bool both(std::uint32_t member, int note, std::vector<std::uint32_t> from = {}) {
        return come(member, {note, true, true, std::move(from)});
    }

    std::map<std::uint32_t, std::optional<int>> answers; // by member; empty: nobody gave

  private:
    bool come(std::uint32_t member, Meeting<int, Latest>::Member entering) {
        return meeting_.enter(group_, false, member, std::move(entering), [&](std::uint32_t who, const int* note) {
            CHECK(answers.count(who) == 0);
            answers[who] = note == nullptr ? std::optional<int>{} : *note;
        });
    }

    OwnedCollectiveGroup group_;
    Meeting<int, Latest> meeting_;
};

using Answers = std::map<std::uint32_t, std::optional<int>>;

} // namespace

TEST_CASE("a collective that begins in the memory of another one knows nothing of it", "[replay]") {
    Meetings<int, Latest> meetings;
    for (std::uint32_t round = 0; round < 6; ++round) {
        const bool many = round % 3 == 2; // more members than memory is kept for
        OwnedCollectiveGroup group{.first = many ? 100U : 2U, .members = {}};
        group.members.resize(group.first);
        const auto size = static_cast<std::uint32_t>(group.members.size());
        std::map<std::uint32_t, int> answers;
        for (const std::uint32_t order : {round, round + 100}) // both are open at the same time
            for (std::uint32_t member = 0; member + 1 < size; ++member)
                REQUIRE_FALSE(meetings.of(round, order, size)
                                  .enter(group, false, member, {int(1000 * order + member), true, true, {}},
                                         [](std::uint32_t, const int*) { FAIL("somebody is missing"); }));
        for (const std::uint32_t order : {round, round + 100}) {
            answers.clear();
            REQUIRE(meetings.of(round, order, size)
                        .enter(group, false, size - 1, {int(1000 * order), true, true, {}},
                               [&](std::uint32_t who, const int* note) { answers[who] = *note; }));
            meetings.end(round, order, size);
            CHECK(answers.size() == size);
            CHECK(answers[size - 1] == int(1000 * order + size - 2));
        }
    }
}

TEST_CASE("a barrier answers when all are there", "[replay]") {
    Hall hall{3, TakesFrom::all, 3};
    CHECK_FALSE(hall.both(0, 10));
    CHECK_FALSE(hall.both(2, 30));
    CHECK(hall.answers.empty());
    CHECK(hall.both(1, 20));
    CHECK(hall.answers == Answers{{0, 30}, {1, 30}, {2, 20}});
}

TEST_CASE("a broadcast answers whoever is there with the root", "[replay]") {
    Hall hall{4, TakesFrom::all, 4};
    CHECK_FALSE(hall.take(3, {1}));
    CHECK(hall.answers.empty());
    CHECK_FALSE(hall.give(1, 7));
    CHECK(hall.answers == Answers{{3, 7}});
    CHECK_FALSE(hall.take(0, {1}));
    CHECK(hall.answers == Answers{{0, 7}, {3, 7}});
    CHECK(hall.take(2, {1}));
    CHECK(hall.answers == Answers{{0, 7}, {2, 7}, {3, 7}});
}

TEST_CASE("a scan answers each when those in front of it are there", "[replay]") {
    Hall hall{5, TakesFrom::lower, 5};
    CHECK_FALSE(hall.both(3, 1));
    CHECK_FALSE(hall.both(1, 5));
    CHECK_FALSE(hall.take(4));
    CHECK(hall.answers.empty());
    CHECK_FALSE(hall.both(0, 2));
    CHECK(hall.answers == Answers{{0, {}}, {1, 2}});
    CHECK(hall.both(2, 3));
    CHECK(hall.answers == Answers{{0, {}}, {1, 2}, {2, 5}, {3, 5}, {4, 5}});
}

TEST_CASE("members with lists wait for one after the other", "[replay]") {
    Hall hall{4, TakesFrom::by_lists, 4};
    CHECK_FALSE(hall.both(0, 1, {1, 2}));
    CHECK_FALSE(hall.both(1, 9, {2}));
    CHECK(hall.answers.empty());
    CHECK_FALSE(hall.both(2, 4, {0}));
    CHECK(hall.answers == Answers{{0, 9}, {1, 4}, {2, 1}});
    CHECK(hall.give(3, 100));
    CHECK(hall.answers.size() == 3);
}

TEST_CASE("of two groups, each waits for the other one", "[replay]") {
    Hall hall{5, TakesFrom::all, 2};
    CHECK_FALSE(hall.both(0, 50));
    CHECK_FALSE(hall.both(2, 1));
    CHECK_FALSE(hall.both(3, 3));
    CHECK_FALSE(hall.both(4, 2));
    CHECK(hall.answers == Answers{{0, 3}});
    CHECK(hall.both(1, 40));
    CHECK(hall.answers == Answers{{0, 3}, {1, 3}, {2, 50}, {3, 50}, {4, 50}});
}
