// Programs that send messages, simulated twice: without a tracer, and with a tracer that spends time on every event,
// while each rank keeps its delay by one of the rules. A good rule computes the untraced run from the traced one. Sends
// are eager, all messages have the same latency, and there are no wildcards. Times are in ns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

struct SimulatedStep {
    enum class Kind : std::uint8_t { compute, message, barrier, gather, broadcast };
    Kind kind{};
    std::size_t rank = 0; // the rank that computes, sends, or is the root
    std::size_t to = 0;   // the rank that receives
    double ns = 0;        // how long it computes
    double events = 0;    // how many events of the tracer happen in it
};

struct SimulatedProgram {
    std::string name;
    std::size_t ranks = 8;
    std::vector<SimulatedStep> steps; // in an order in which the steps of each rank happen
    std::vector<double> slowness;     // factor of each rank's computing, at least 1
};
// Makes a program: random, stencil, wavefront or master/worker.
SimulatedProgram simulated_program(const std::string& name, std::uint64_t seed);
extern const std::vector<std::string> simulated_programs;

// none: only measures. local: counts a rank's own events only. published, waited and signed_rule: see
// piggyback/delay.hpp.
enum class DelayRule : std::uint8_t { none, local, published, waited, signed_rule };

struct SimulatedTracer {
    double event_ns = 500;
    double calibration = 1;    // what it believes an event to cost, as a share of the true cost
    double clock_noise_ns = 0; // noise of the lateness that it sees
};

struct SimulatedRun {
    std::vector<double> end_ns;   // of each rank
    std::vector<double> delay_ns; // of each rank, computed by the rule
};
SimulatedRun simulate(const SimulatedProgram& program, const SimulatedTracer& tracer, DelayRule rule,
                      std::uint64_t seed = 1);

// How far the ends of the traced run minus their delays are from those of the untraced run, as a share of the latter,
// for each rank.
std::vector<double> compensation_errors(const SimulatedProgram& program, const SimulatedTracer& tracer, DelayRule rule);
// How much longer the slowest rank takes with the tracer.
double slowdown(const SimulatedProgram& program, const SimulatedTracer& tracer);

} // namespace tactus
