// Rounds of clock measurements between threads, over a wire in memory that carries words; and who measures whom.
#include "clocksync/exchange.hpp"
#include "tests/unit/made/catch.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <time.h>

using namespace tactus;

namespace {

// What all ends of the wire share. After `words` words it is cut.
class Network {
  public:
    explicit Network(std::uint64_t words = ~std::uint64_t{0}) : words_{words} {}
    bool put(std::uint32_t from, std::uint32_t to, std::uint64_t word) {
        const std::lock_guard lock{mutex_};
        if (words_ == 0) return false;
        --words_;
        sent_.emplace_back(from, to);
        queues_[{from, to}].push_back(word);
        return true;
    }
    bool take(std::uint32_t from, std::uint32_t to, std::uint64_t& word) {
        while (true) {
            {
                const std::lock_guard lock{mutex_};
                auto& queue = queues_[{from, to}];
                if (!queue.empty()) {
                    word = queue.front();
                    queue.pop_front();
                    return true;
                }
                if (words_ == 0) return false;
            }
            std::this_thread::yield();
        }
    }
    [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& sent() const { return sent_; }

  private:
    std::mutex mutex_;
    std::uint64_t words_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::uint64_t>> queues_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sent_; // pairs of sender and receiver
};

class ThreadWire final : public Wire {
  public:
    ThreadWire(Network& network, std::uint32_t self) : network_{network}, self_{self} {}
    bool send(std::uint32_t to, std::uint64_t word) override { return network_.put(self_, to, word); }
    void expect(std::uint32_t from) override { expected_.push_back(from); }
    bool receive(std::uint32_t from, std::uint64_t& word) override {
        // Every word must have been announced exactly once.
        if (expected_.empty() || expected_.front() != from) unexpected_ = true;
        if (!expected_.empty()) expected_.pop_front();
        return network_.take(from, self_, word);
    }
    bool await(std::uint32_t from, std::uint64_t& word) override { return receive(from, word); }
    [[nodiscard]] bool in_order() const { return !unexpected_ && expected_.empty(); }

  private:
    Network& network_;
    std::uint32_t self_;
    std::deque<std::uint32_t> expected_;
    bool unexpected_ = false;
};

// CLOCK_MONOTONIC: no core reads less than another core read before.
class OneClock {
  public:
    OneClock() { choose_timer(Timer::monotonic); }
    ~OneClock() { choose_timer(before_); }
    OneClock(const OneClock&) = delete;
    OneClock& operator=(const OneClock&) = delete;

  private:
    Timer before_ = chosen_timer();
};

struct Child {
    std::vector<SyncSample> samples;
    bool done = false;
    bool in_order = false;
};

struct Round {
    bool served = false;
    bool in_order = false;
    std::vector<Child> children;
};

// A round in which rank 0 serves ranks 1 to n.
Round run_round(Network& network, std::uint32_t children, const RoundLimits& limits) {
    const OneClock clock;
    Round round;
    round.children.resize(children);
    std::vector<std::uint32_t> ranks;
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 1; rank <= children; ++rank) {
        ranks.push_back(rank);
        threads.emplace_back([&network, &child = round.children[rank - 1], rank] {
            ThreadWire wire{network, rank};
            child.done = measure(wire, 0, child.samples);
            child.in_order = wire.in_order();
        });
    }
    ThreadWire wire{network, 0};
    round.served = serve(wire, ranks, limits);
    for (std::thread& thread : threads) thread.join();
    round.in_order = wire.in_order();
    return round;
}

constexpr std::int64_t long_enough = 60'000'000'000;

std::size_t levels_of(std::size_t leaders) { return std::bit_width(leaders - 1); }

} // namespace

TEST_CASE("a round gives each child as many samples as asked for, in order") {
    for (const std::uint32_t children : {1, 3}) {
        Network network;
        const Round round = run_round(network, children, {.messages = 50, .duration_ns = long_enough});
        CHECK(round.served);
        CHECK(round.in_order);
        for (const Child& child : round.children) {
            CHECK(child.done);
            CHECK(child.in_order);
            REQUIRE(child.samples.size() == 50);
            Ticks last = 0;
            for (const SyncSample& sample : child.samples) {
                CHECK(last <= sample.sent);
                CHECK(sample.sent <= sample.master);
                CHECK(sample.master <= sample.received);
                last = sample.received;
            }
        }
    }
}

TEST_CASE("children take turns, from the first again") {
    Network network;
    run_round(network, 3, {.messages = 4, .duration_ns = long_enough});
    // Each turn consists of prompt, request and answer. At the end each child is told that the round is over.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (int turn = 0; turn < 4; ++turn)
        for (std::uint32_t child = 1; child <= 3; ++child)
            for (const bool up : {false, true, false}) expected.emplace_back(up ? child : 0, up ? 0 : child);
    for (std::uint32_t child = 1; child <= 3; ++child) expected.emplace_back(0, child);
    CHECK(network.sent() == expected);
}

TEST_CASE("a round ends when its time is up, the same for all") {
    Network network;
    const Round round = run_round(network, 2, {.messages = ~std::uint64_t{0}, .duration_ns = 5'000'000});
    CHECK(round.served);
    CHECK(round.children[0].done);
    CHECK_FALSE(round.children[0].samples.empty());
    CHECK(round.children[0].samples.size() == round.children[1].samples.size());
    Network other;
    const Round none = run_round(other, 2, {.messages = 100, .duration_ns = 0});
    CHECK(none.served);
    for (const Child& child : none.children) CHECK((child.done && child.samples.empty()));
    Network alone;
    CHECK(run_round(alone, 0, {.messages = 100, .duration_ns = long_enough}).served);
}

TEST_CASE("when the wire breaks, both sides come to an end") {
    for (std::uint64_t words = 0; words < 25; ++words) {
        Network network{words};
        const Round round = run_round(network, 2, {.messages = 4, .duration_ns = long_enough});
        INFO("cut after " << words << " words of 26");
        CHECK_FALSE(round.served);
        CHECK_FALSE(round.children[1].done); // it would be told last
        for (const Child& child : round.children) CHECK(child.samples.size() <= words / 3);
    }
}

TEST_CASE("in a tree everybody has one parent that serves it") {
    for (std::size_t leaders = 1; leaders <= 200; ++leaders) {
        INFO(leaders << " leaders");
        std::vector<TreePlace> places;
        for (std::size_t i = 0; i < leaders; ++i) places.push_back(place_in_tree(Topology::tree, i, leaders));
        std::vector<int> served(leaders, 0);
        std::vector<std::size_t> step(leaders, 0); // the step in which each leader was served
        for (std::size_t i = 0; i < leaders; ++i) {
            CHECK_FALSE(places[i].at_once);
            for (const std::size_t child : places[i].children) {
                REQUIRE(child < leaders);
                CHECK(child > i);
                ++served[child];
                CHECK(places[child].parent == i);
                CHECK(places[child].level == places[i].level + 1);
            }
            std::size_t when = step[i];
            for (const std::size_t child : places[i].children) step[child] = ++when;
        }
        CHECK(served[0] == 0);
        CHECK(places[0].level == 0);
        CHECK(places[0].parent == 0);
        CHECK(std::all_of(served.begin() + 1, served.end(), [](int times) { return times == 1; }));
        for (std::size_t i = 0; i < leaders; ++i) {
            CHECK(places[i].level <= levels_of(leaders));
            CHECK(step[i] <= levels_of(leaders));
        }
    }
}

TEST_CASE("in a star rank 0 serves all at once") {
    for (const std::size_t leaders : {std::size_t{1}, std::size_t{2}, largest_star}) {
        for (std::size_t i = 0; i < leaders; ++i) {
            const TreePlace place = place_in_tree(Topology::automatic, i, leaders);
            CHECK(place.at_once);
            CHECK(place.parent == 0);
            CHECK(place.level == (i == 0 ? 0 : 1));
            REQUIRE(place.children.size() == (i == 0 ? leaders - 1 : 0));
            for (std::size_t child = 0; child < place.children.size(); ++child)
                CHECK(place.children[child] == child + 1);
        }
    }
    CHECK_FALSE(place_in_tree(Topology::automatic, 0, largest_star + 1).at_once);
    CHECK(place_in_tree(Topology::star, 0, 200).children.size() == 199);
    CHECK(place_in_tree(Topology::tree, 0, 200).children.size() == 8);
}
