// Programs that send messages, run twice: untraced, and with a tracer whose every event costs time, while each rank
// keeps its delay by one of the rules. What a rule makes of the traced run should be the untraced one. Eager sends,
// messages of one latency, no wildcards. Times in ns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct SimulatedStep {
    enum class Kind : std::uint8_t { compute, message, barrier, gather, broadcast };
    Kind kind{};
    std::size_t rank = 0; // who computes, sends, or is the root
    std::size_t to = 0;   // who receives
    double ns = 0;        // of computing
    double events = 0;    // of the tracer in it
};

struct SimulatedProgram {
    std::string name;
    std::size_t ranks = 8;
    std::vector<SimulatedStep> steps; // in an order in which each rank's happen
    std::vector<double> slowness;     // of each rank's computing, 1 or more
};
// random, stencil, wavefront or master/worker.
SimulatedProgram simulated_program(const std::string& name, std::uint64_t seed);
extern const std::vector<std::string> simulated_programs;

// none: what was measured; local: own events only; published, waited and signed_rule: see piggyback/delay.hpp.
enum class DelayRule : std::uint8_t { none, local, published, waited, signed_rule };

struct SimulatedTracer {
    double event_ns = 500;
    double calibration = 1;    // what it believes an event to cost, as a share of what it does
    double clock_noise_ns = 0; // of the lateness it sees
};

struct SimulatedRun {
    std::vector<double> end_ns;   // of each rank
    std::vector<double> delay_ns; // by the rule
};
SimulatedRun simulate(const SimulatedProgram& program, const SimulatedTracer& tracer, DelayRule rule,
                      std::uint64_t seed = 1);

// How far the traced run's ends less their delays are from the untraced one's, rank by rank, as a share of the latter.
std::vector<double> compensation_errors(const SimulatedProgram& program, const SimulatedTracer& tracer, DelayRule rule);
// How much longer the slowest rank takes with the tracer.
double slowdown(const SimulatedProgram& program, const SimulatedTracer& tracer);

} // namespace tactus
