// What the processor counted for threads (trace/processor_counters.hpp), outside of the kernel.
#pragma once

namespace tactus {

struct ProcessorCounts {
    double user_s = 0; // on a core outside of the kernel, where both of the next two were counted; 0: nothing is known
    double cycles = 0;
    double instructions = 0;
    double missed_of = 0; // the instructions where cache misses were counted, too
    double cache_misses = 0;

    [[nodiscard]] bool known() const { return user_s > 0 && cycles > 0 && instructions > 0; }
    // Instructions a cycle; 0 where nothing is known, as for the next one.
    [[nodiscard]] double ipc() const { return known() ? instructions / cycles : 0; }
    [[nodiscard]] double hertz() const { return known() ? cycles / user_s : 0; } // cycles a second
    // -1: cache misses were not counted
    [[nodiscard]] double misses_per_1000() const { return missed_of > 0 ? 1000 * cache_misses / missed_of : -1; }
    [[nodiscard]] ProcessorCounts times(double factor) const {
        return {.user_s = factor * user_s,
                .cycles = factor * cycles,
                .instructions = factor * instructions,
                .missed_of = factor * missed_of,
                .cache_misses = factor * cache_misses};
    }
    ProcessorCounts& operator+=(const ProcessorCounts& more) {
        user_s += more.user_s;
        cycles += more.cycles;
        instructions += more.instructions;
        missed_of += more.missed_of;
        cache_misses += more.cache_misses;
        return *this;
    }
};

// How many times as long the computation of one run, or rank, takes as that of another, outside of the kernel: in all,
// and by each of POP's factors (https://pop-coe.eu/node/69), whose product that is.
struct ComputationScaling {
    double computation = 1;
    double instructions = 1; // the first has so many times as many,
    double ipc = 1;          // so many times fewer of them in a cycle,
    double frequency = 1;    // and so many times fewer cycles in a second
};
// Both must be known.
inline ComputationScaling scaling_of(const ProcessorCounts& first, const ProcessorCounts& second) {
    return {.computation = first.user_s / second.user_s,
            .instructions = first.instructions / second.instructions,
            .ipc = second.ipc() / first.ipc(),
            .frequency = second.hertz() / first.hertz()};
}

} // namespace tactus
