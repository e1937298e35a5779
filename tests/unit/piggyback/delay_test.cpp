// Compares the rules by which delays travel with runs whose truth is known.
#include "piggyback/delay.hpp"

#include "tests/unit/made/catch.hpp"
#include "tests/unit/piggyback/delay_simulator.hpp"

#include <algorithm>
#include <numeric>

using namespace tactus;

namespace {

struct Errors {
    double mean = 0;
    double worst = 0;
};

Errors errors_over_seeds(const std::string& name, const SimulatedTracer& tracer, DelayRule rule) {
    std::vector<double> all;
    for (std::uint64_t seed = 0; seed < 5; ++seed)
        for (const double error : compensation_errors(simulated_program(name, seed), tracer, rule))
            all.push_back(error);
    return {std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()),
            *std::max_element(all.begin(), all.end())};
}

} // namespace

TEST_CASE("a message's delay") {
    SECTION("who waited is as late as the sender was") {
        CHECK(delay_after_message(100, 0, 500) == 0); // untraced it would have waited longer
        CHECK(delay_after_message(100, 400, 500) == 400);
        CHECK(delay_after_message(100, 700, 500) == 600); // untraced it would not have waited
    }
    SECTION("a message that was there early") {
        CHECK(delay_after_message(100, 0, -200) == 100);
        CHECK(delay_after_message(300, 0, -200) == 200); // untraced it would have waited 100
        CHECK(delay_after_wait(300, 0, 0) == 300);       // which cannot be known from the wait alone
    }
    SECTION("as the two runs say") {
        for (const double begin : {0.0, 10.0, 20.0})
            for (const double there : {-5.0, 5.0, 15.0, 40.0})
                for (const double own : {0.0, 3.0, 12.0})
                    for (const double senders : {0.0, 4.0, 30.0}) {
                        const double traced = std::max(begin, there);
                        const double untraced = std::max(begin - own, there - senders);
                        CHECK(delay_after_message(own, senders, there - begin) == Approx(traced - untraced));
                    }
    }
    SECTION("who really waited needs no clock") {
        for (const double waited : {1.0, 50.0, 1000.0})
            CHECK(delay_after_wait(70, 30, waited) == delay_after_message(70, 30, waited));
    }
}

TEST_CASE("the signed rule finds the untraced run") {
    for (const std::string& name : simulated_programs) {
        INFO(name);
        const Errors errors = errors_over_seeds(name, {}, DelayRule::signed_rule);
        CHECK(errors.worst < 1e-9);
    }
}

TEST_CASE("rules from the best to none, as far as messages are early") {
    for (const char* const name : {"random", "stencil", "wavefront"}) {
        INFO(name);
        const double none = errors_over_seeds(name, {}, DelayRule::none).mean;
        const double local = errors_over_seeds(name, {}, DelayRule::local).mean;
        const double published = errors_over_seeds(name, {}, DelayRule::published).mean;
        CHECK(local < none);
        CHECK(published > local); // what it makes of early messages is worse than doing nothing
        CHECK(published < none);
    }
    const double waited = errors_over_seeds("stencil", {}, DelayRule::waited).mean;
    CHECK(waited < errors_over_seeds("stencil", {}, DelayRule::local).mean / 5);
    // The kind of program that it was tested with.
    CHECK(errors_over_seeds("master/worker", {}, DelayRule::published).mean < 0.001);
}

TEST_CASE("how the signed rule bears what it depends on") {
    for (const std::string& name : simulated_programs) {
        INFO(name);
        const double exact_slowdown = slowdown(simulated_program(name, 0), {}) - 1;
        CHECK(errors_over_seeds(name, {.clock_noise_ns = 1000}, DelayRule::signed_rule).mean < 0.002);
        // The tracer believes a fifth too little, so about a fifth of the slowdown remains.
        CHECK(errors_over_seeds(name, {.calibration = 0.8}, DelayRule::signed_rule).mean <
              0.25 * exact_slowdown + 0.01);
    }
}
