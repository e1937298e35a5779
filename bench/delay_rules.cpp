// Compares the rules for delays on simulated programs. Prints the mean and the worst error of the ranks' compensated
// end times over 20 seeds, in percent of the untraced run. Usage: delay_rules
#include "tests/unit/piggyback/delay_simulator.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace tactus;

namespace {

struct Column {
    const char* name;
    DelayRule rule;
    SimulatedTracer tracer;
};
constexpr Column columns[] = {{"none", DelayRule::none, {}},
                              {"local", DelayRule::local, {}},
                              {"published", DelayRule::published, {}},
                              {"where waited", DelayRule::waited, {}},
                              {"signed", DelayRule::signed_rule, {}},
                              {"signed, 1 us noise", DelayRule::signed_rule, {.clock_noise_ns = 1000}},
                              {"signed, 20 % low", DelayRule::signed_rule, {.calibration = 0.8}}};
constexpr std::uint64_t seeds = 20;

} // namespace

int main() {
    std::printf("%-14s %8s", "program", "slowdown");
    for (const Column& column : columns) std::printf("  %20s", column.name);
    std::printf("\n");
    for (const std::string& name : simulated_programs) {
        double slower = 0;
        for (std::uint64_t seed = 0; seed < seeds; ++seed)
            slower += slowdown(simulated_program(name, seed), {}) / static_cast<double>(seeds);
        std::printf("%-14s %8.2f", name.c_str(), slower);
        for (const Column& column : columns) {
            std::vector<double> errors;
            for (std::uint64_t seed = 0; seed < seeds; ++seed)
                for (const double error :
                     compensation_errors(simulated_program(name, seed), column.tracer, column.rule))
                    errors.push_back(100 * error);
            const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
            std::printf("  %9.2f (%8.2f)", mean, *std::max_element(errors.begin(), errors.end()));
        }
        std::printf("\n");
    }
}
