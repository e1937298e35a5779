#include "processor.hpp"

#include <bit>

namespace tactus {
namespace {

std::uint64_t counts_per_second() {
    std::uint64_t frequency = 0;
    asm("mrs %0, cntfrq_el0" : "=r"(frequency));
    return frequency & 0xffffffff;
}

} // namespace

// The architecture says that the counter is steady. Firmware that does not tell its frequency has not set it up.
bool processor::is_counter_steady() { return counts_per_second() != 0; }

void processor::prepare_counter() {
    constexpr std::uint64_t most_ticks_per_second = 4'000'000'000;
    const std::uint64_t frequency = counts_per_second();
    if (frequency == 0 || frequency > most_ticks_per_second) return;
    ticks_of_a_count = static_cast<unsigned>(std::bit_width(most_ticks_per_second / frequency)) - 1;
}

} // namespace tactus
