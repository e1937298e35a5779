// What the processor counted for threads (trace/processor_counters.hpp), outside of the kernel.
#pragma once

namespace tactus {

struct ProcessorCounts {
    double ran_s = 0; // on a core, where both of the next two were counted; 0: nothing is known
    double cycles = 0;
    double instructions = 0;
    double missed_of = 0; // the instructions where cache misses were counted, too
    double cache_misses = 0;

    [[nodiscard]] bool known() const { return ran_s > 0 && cycles > 0 && instructions > 0; }
    // Instructions a cycle; 0 where nothing is known, as for the next two.
    [[nodiscard]] double ipc() const { return known() ? instructions / cycles : 0; }
    [[nodiscard]] double hertz() const { return known() ? cycles / ran_s : 0; } // cycles a second on a core
    // -1: cache misses were not counted
    [[nodiscard]] double misses_per_1000() const { return missed_of > 0 ? 1000 * cache_misses / missed_of : -1; }
    [[nodiscard]] ProcessorCounts times(double factor) const {
        return {.ran_s = factor * ran_s,
                .cycles = factor * cycles,
                .instructions = factor * instructions,
                .missed_of = factor * missed_of,
                .cache_misses = factor * cache_misses};
    }
    ProcessorCounts& operator+=(const ProcessorCounts& more) {
        ran_s += more.ran_s;
        cycles += more.cycles;
        instructions += more.instructions;
        missed_of += more.missed_of;
        cache_misses += more.cache_misses;
        return *this;
    }
};

// Why the computation of one run, or rank, takes longer than that of another: POP's factors
// (https://pop-coe.eu/node/69). Each is above 1 where `second` is the better one, and their product is `computation`.
struct ComputationScaling {
    double computation = 1;  // time on a core of the first / of the second
    double instructions = 1; // of the first / of the second
    double ipc = 1;          // of the second / of the first
    double frequency = 1;    // likewise
};
// Both must be known.
inline ComputationScaling scaling_of(const ProcessorCounts& first, const ProcessorCounts& second) {
    return {.computation = first.ran_s / second.ran_s,
            .instructions = first.instructions / second.instructions,
            .ipc = second.ipc() / first.ipc(),
            .frequency = second.hertz() / first.hertz()};
}

} // namespace tactus
