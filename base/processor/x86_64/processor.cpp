#include "processor.hpp"

#include "base/system_file.hpp"

#include <cpuid.h>

namespace tactus {
namespace {

bool invariant_tsc() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned advanced_power_management = 0x80000007;
    constexpr unsigned invariant_bit = 1U << 8;
    return __get_cpuid(advanced_power_management, &a, &b, &c, &d) != 0 && (d & invariant_bit) != 0;
}

// A virtual machine may hide the bit although the kernel, which knows its host, keeps time by the TSC.
bool kernel_uses_tsc() {
    return read_system_file("/sys/devices/system/clocksource/clocksource0/current_clocksource").starts_with("tsc");
}

} // namespace

bool processor::is_counter_steady() { return invariant_tsc() || kernel_uses_tsc(); }

} // namespace tactus
