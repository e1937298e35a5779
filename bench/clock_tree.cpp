// Simulates how the errors of single exchanges add up when clocks are measured along a tree, and how long a round
// takes. It can simulate more leaders than there are machines to measure with.
//
//   clock_tree [--bias NS] [--deviation NS] [--half-width NS] [--rtt NS] [--messages N] [--trials N] [--levels]
//   [LEADERS...]
//
// The error of one exchange is normally distributed with a mean (`bias`) and a standard deviation. Both, and the
// half-width that is stated for the exchange, are what bench/clock_errors prints for "interval". A leader's map is
// composed of its exchange and its parent's map, so the errors add up on the way to leader 0.
//
// The time is a model: each of the messages takes one and a half round trips (the prompt, then there and back). A
// leader serves its children one after the other, after it was served itself. In the star, leader 0 serves all. The
// model does not include what all ranks do together in a round (they meet, and they find the rounds that are too wide).
#include "clocksync/exchange.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

using namespace tactus;

namespace {

struct Wanted {
    double bias_ns = -9;
    double deviation_ns = 4;
    double half_width_ns = 50;
    double rtt_ns = 3000; // round trip of a fast network; bench/clock_errors prints that within a host
    double messages = 100;
    double trials = 20;
    bool levels = false; // print a line for each level
    std::vector<std::size_t> leaders;
};

bool take(Wanted& wanted, std::string_view name, const char* value) {
    struct {
        std::string_view name;
        double Wanted::*field;
    } const options[] = {
        {"--bias", &Wanted::bias_ns}, {"--deviation", &Wanted::deviation_ns}, {"--half-width", &Wanted::half_width_ns},
        {"--rtt", &Wanted::rtt_ns},   {"--messages", &Wanted::messages},      {"--trials", &Wanted::trials}};
    for (const auto& option : options)
        if (option.name == name) {
            wanted.*option.field = std::strtod(value, nullptr);
            return true;
        }
    return false;
}

bool parse(int argc, char** argv, Wanted& wanted) {
    for (int i = 1; i < argc; ++i) {
        if (std::string_view{argv[i]} == "--levels")
            wanted.levels = true;
        else if (i + 1 < argc && take(wanted, argv[i], argv[i + 1]))
            ++i;
        else if (const std::size_t count = std::strtoul(argv[i], nullptr, 10); count > 1)
            wanted.leaders.push_back(count);
        else
            return std::fprintf(stderr, "clock_tree: what is '%s'?\n", argv[i]), false;
    }
    if (wanted.leaders.empty()) wanted.leaders = {2, 32, 64, 1024, 65536};
    return true;
}

struct Sum {
    double squares = 0;
    double count = 0;
    double largest = 0;     // sum of the largest errors of all trials
    double largest_now = 0; // largest error of the current trial
    void add(double error) {
        squares += error * error;
        ++count;
        largest_now = std::max(largest_now, std::abs(error));
    }
    void end_trial() {
        largest += largest_now;
        largest_now = 0;
    }
    [[nodiscard]] double rms() const { return std::sqrt(squares / count); }
};

std::vector<TreePlace> places_of(Topology topology, std::size_t leaders) {
    std::vector<TreePlace> places;
    for (std::size_t leader = 0; leader < leaders; ++leader) places.push_back(place_in_tree(topology, leader, leaders));
    return places;
}

double round_ns(const std::vector<TreePlace>& places, const Wanted& wanted) {
    const double child_ns = 1.5 * wanted.rtt_ns * wanted.messages;
    std::vector<double> served(places.size(), 0);
    for (std::size_t leader = 0; leader < places.size(); ++leader) { // Parents come before their children.
        double time = served[leader];
        for (const std::size_t child : places[leader].children) served[child] = time += child_ns;
    }
    return *std::max_element(served.begin(), served.end());
}

// Returns for each level the errors of its leaders' maps.
std::vector<Sum> errors_of(const std::vector<TreePlace>& places, const Wanted& wanted, Sum& all) {
    std::mt19937_64 random{7};
    std::normal_distribution<double> exchange{wanted.bias_ns, std::max(1e-9, wanted.deviation_ns)};
    const auto deeper = [](const TreePlace& a, const TreePlace& b) { return a.level < b.level; };
    std::vector<Sum> levels(std::max_element(places.begin(), places.end(), deeper)->level + 1);
    std::vector<double> error(places.size(), 0);
    for (int trial = 0; trial < static_cast<int>(wanted.trials); ++trial) {
        for (std::size_t leader = 1; leader < places.size(); ++leader) {
            error[leader] = error[places[leader].parent] + exchange(random);
            levels[places[leader].level].add(error[leader]);
            all.add(error[leader]);
        }
        for (Sum& level : levels) level.end_trial();
        all.end_trial();
    }
    return levels;
}

void simulate(Topology topology, std::size_t leaders, const Wanted& wanted) {
    const std::vector<TreePlace> places = places_of(topology, leaders);
    Sum all;
    const std::vector<Sum> levels = errors_of(places, wanted, all);
    const char* const name = topology == Topology::star ? "star" : "tree";
    const double ms = 1e-6 * round_ns(places, wanted);
    const auto depth = static_cast<double>(levels.size() - 1);
    std::printf("%7zu %-5s %6.0f %12.3f %10.1f %10.1f %12.1f\n", leaders, name, depth, ms, all.rms(),
                all.largest / wanted.trials, depth * wanted.half_width_ns);
    for (std::size_t level = 1; wanted.levels && level < levels.size(); ++level)
        std::printf("%13s %6zu %12.0f %10.1f %10.1f %12.1f\n", "level", level, levels[level].count / wanted.trials,
                    levels[level].rms(), levels[level].largest / wanted.trials,
                    static_cast<double>(level) * wanted.half_width_ns);
}

} // namespace

int main(int argc, char** argv) {
    Wanted wanted;
    if (!parse(argc, argv, wanted)) return 2;
    std::printf("an exchange: bias %.1f ns, deviation %.1f ns, half-width %.1f ns; %.0f messages, round trip %.0f ns; "
                "max: mean over %.0f trials\n",
                wanted.bias_ns, wanted.deviation_ns, wanted.half_width_ns, wanted.messages, wanted.rtt_ns,
                wanted.trials);
    std::printf("%7s %-5s %6s %12s %10s %10s %12s\n", "leaders", "", "levels", wanted.levels ? "ms | leaders" : "ms",
                "rms, ns", "max, ns", "stated, ns");
    for (const std::size_t leaders : wanted.leaders)
        for (const Topology topology : {Topology::star, Topology::tree}) simulate(topology, leaders, wanted);
    return 0;
}
