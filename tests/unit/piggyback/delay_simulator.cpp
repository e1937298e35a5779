#include "tests/unit/piggyback/delay_simulator.hpp"

#include "piggyback/delay.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace tactus {

const std::vector<std::string> simulated_programs = {"random", "stencil", "wavefront", "master/worker"};

namespace {

constexpr double latency_ns = 2000;
using Random = std::mt19937_64;

double between(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>{low, high}(random);
}
std::size_t below(Random& random, std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>{0, limit - 1}(random);
}
// Ranks differ in how often they call traced functions.
double events_of(std::size_t rank, std::size_t ranks, std::size_t stride, double mean) {
    return std::floor(mean * (0.2 + 1.6 * static_cast<double>((rank * stride) % ranks) / static_cast<double>(ranks)));
}
SimulatedStep compute(std::size_t rank, double ns, double events) {
    return {.kind = SimulatedStep::Kind::compute, .rank = rank, .ns = ns, .events = events};
}
SimulatedStep message(std::size_t from, std::size_t to) {
    return {.kind = SimulatedStep::Kind::message, .rank = from, .to = to};
}

void add_random(SimulatedProgram& program, Random& random) {
    for (int i = 0; i < 6000; ++i) {
        const double which = between(random, 0, 1);
        const std::size_t rank = below(random, program.ranks);
        if (which < 0.55) {
            const double events = std::floor(std::exponential_distribution<double>{1.0 / 40}(random));
            program.steps.push_back(compute(rank, std::exponential_distribution<double>{1.0 / 50'000}(random), events));
        } else if (which < 0.95) {
            program.steps.push_back(message(rank, (rank + 1 + below(random, program.ranks - 1)) % program.ranks));
        } else {
            constexpr SimulatedStep::Kind kinds[] = {SimulatedStep::Kind::barrier, SimulatedStep::Kind::gather,
                                                     SimulatedStep::Kind::broadcast};
            program.steps.push_back({.kind = kinds[below(random, 3)], .rank = rank});
        }
    }
}

void add_stencil(SimulatedProgram& program, Random& random) {
    const std::size_t ranks = program.ranks;
    for (int i = 0; i < 200; ++i) {
        for (std::size_t rank = 0; rank < ranks; ++rank)
            program.steps.push_back(compute(rank, between(random, 160'000, 240'000), events_of(rank, ranks, 7, 40)));
        for (std::size_t rank = 0; rank < ranks; ++rank)
            for (const std::size_t aside : {std::size_t{1}, ranks - 1})
                program.steps.push_back(message(rank, (rank + aside) % ranks));
        if (i % 10 == 9) program.steps.push_back({.kind = SimulatedStep::Kind::barrier});
    }
}

void add_wavefront(SimulatedProgram& program, Random&) {
    for (int i = 0; i < 400; ++i)
        for (std::size_t rank = 0; rank < program.ranks; ++rank) {
            program.steps.push_back(compute(rank, 30'000, events_of(rank, program.ranks, 5, 30)));
            if (rank + 1 < program.ranks) program.steps.push_back(message(rank, rank + 1));
        }
}

void add_master_and_workers(SimulatedProgram& program, Random& random) {
    for (int i = 0; i < 200; ++i)
        for (std::size_t worker = 1; worker < program.ranks; ++worker) {
            program.steps.push_back(compute(worker, between(random, 70'000, 130'000), 60));
            program.steps.push_back(message(worker, 0));
            program.steps.push_back(compute(0, 5000, 1));
            program.steps.push_back(message(0, worker));
        }
}

class Simulation {
  public:
    Simulation(const SimulatedProgram& program, const SimulatedTracer& tracer, DelayRule rule, std::uint64_t seed)
        : program_{program}, tracer_{tracer}, rule_{rule}, random_{seed}, time_(program.ranks), delay_(program.ranks) {}

    SimulatedRun run() {
        for (const SimulatedStep& step : program_.steps) take(step);
        if (rule_ == DelayRule::none) std::fill(delay_.begin(), delay_.end(), 0);
        return {time_, delay_};
    }

  private:
    void take(const SimulatedStep& step) {
        switch (step.kind) {
        case SimulatedStep::Kind::compute:
            time_[step.rank] += step.ns * program_.slowness[step.rank];
            return trace(step.rank, step.events);
        case SimulatedStep::Kind::message: {
            trace(step.rank, 1);
            const double there = time_[step.rank] + latency_ns;
            trace(step.to, 1);
            return receive(step.to, there, delay_[step.rank]);
        }
        case SimulatedStep::Kind::barrier:
        case SimulatedStep::Kind::gather:
        case SimulatedStep::Kind::broadcast:
            return collective(step);
        }
    }

    void trace(std::size_t rank, double events) {
        time_[rank] += events * tracer_.event_ns;
        delay_[rank] += events * tracer_.event_ns * tracer_.calibration;
    }

    void receive(std::size_t rank, double there, double sender_delay) {
        const double lateness = there - time_[rank];
        const double waited = std::max(0.0, lateness);
        time_[rank] += waited;
        double& delay = delay_[rank];
        if (rule_ == DelayRule::published) delay = delay_after_message(delay, sender_delay, waited);
        if (rule_ == DelayRule::waited) delay = delay_after_wait(delay, sender_delay, waited);
        if (rule_ == DelayRule::signed_rule) delay = delay_after_message(delay, sender_delay, lateness + noise());
    }

    double noise() {
        return tracer_.clock_noise_ns > 0 ? std::normal_distribution<double>{0, tracer_.clock_noise_ns}(random_) : 0;
    }

    void collective(const SimulatedStep& step) {
        for (std::size_t rank = 0; rank < program_.ranks; ++rank) trace(rank, 1);
        const std::vector<double> entered = time_;
        const std::vector<double> delays = delay_;
        if (step.kind == SimulatedStep::Kind::broadcast) {
            for (std::size_t rank = 0; rank < program_.ranks; ++rank)
                if (rank != step.rank) receive(rank, entered[step.rank] + latency_ns, delays[step.rank]);
            return;
        }
        const double latest = *std::max_element(entered.begin(), entered.end());
        const double least_delay = *std::min_element(delays.begin(), delays.end());
        double undelayed = entered[0] - delays[0];
        for (std::size_t rank = 0; rank < program_.ranks; ++rank)
            undelayed = std::max(undelayed, entered[rank] - delays[rank]);
        for (std::size_t rank = 0; rank < program_.ranks; ++rank) {
            if (step.kind == SimulatedStep::Kind::gather && rank != step.rank) continue; // only the root waits
            if (rule_ != DelayRule::signed_rule) {
                receive(rank, latest + latency_ns, least_delay);
                continue;
            }
            time_[rank] = latest + latency_ns;
            delay_[rank] = delay_after_collective(latest, undelayed);
        }
    }

    const SimulatedProgram& program_;
    SimulatedTracer tracer_;
    DelayRule rule_;
    Random random_;
    std::vector<double> time_;
    std::vector<double> delay_;
};

constexpr SimulatedTracer no_tracer{.event_ns = 0};

} // namespace

SimulatedProgram simulated_program(const std::string& name, std::uint64_t seed) {
    SimulatedProgram program{.name = name, .steps = {}, .slowness = {}};
    Random random{seed};
    for (std::size_t rank = 0; rank < program.ranks; ++rank)
        program.slowness.push_back(name == "master/worker" ? 1 : between(random, 1, 1.5));
    if (name == "random") add_random(program, random);
    if (name == "stencil") add_stencil(program, random);
    if (name == "wavefront") add_wavefront(program, random);
    if (name == "master/worker") add_master_and_workers(program, random);
    return program;
}

SimulatedRun simulate(const SimulatedProgram& program, const SimulatedTracer& tracer, DelayRule rule,
                      std::uint64_t seed) {
    return Simulation{program, tracer, rule, seed}.run();
}

std::vector<double> compensation_errors(const SimulatedProgram& program, const SimulatedTracer& tracer,
                                        DelayRule rule) {
    const SimulatedRun truth = simulate(program, no_tracer, DelayRule::none);
    const SimulatedRun traced = simulate(program, tracer, rule);
    std::vector<double> errors;
    for (std::size_t rank = 0; rank < program.ranks; ++rank)
        errors.push_back(std::abs(traced.end_ns[rank] - traced.delay_ns[rank] - truth.end_ns[rank]) /
                         truth.end_ns[rank]);
    return errors;
}

double slowdown(const SimulatedProgram& program, const SimulatedTracer& tracer) {
    const auto end = [&](const SimulatedTracer& with) {
        const SimulatedRun run = simulate(program, with, DelayRule::none);
        return *std::max_element(run.end_ns.begin(), run.end_ns.end());
    };
    return end(tracer) / end(no_tracer);
}

} // namespace tactus
