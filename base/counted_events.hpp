// The counters of the processor and the system that VT_COUNTER can switch on, as the kernel numbers them
// (perf_event_open(2)). A second name is the one that PAPI has for the same event.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <linux/perf_event.h>
#include <string_view>

namespace tactus {

struct CountedEvent {
    std::string_view name;
    std::string_view other_name;
    std::uint32_t type = 0;
    std::uint64_t config = 0;
};

inline constexpr auto counted_events = std::to_array<CountedEvent>({
    {"cycles", "PAPI_TOT_CYC", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", "PAPI_TOT_INS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache_misses", "PAPI_L3_TCM", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branch_misses", "PAPI_BR_MSP", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"reference_cycles", "PAPI_REF_CYC", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"task_clock", "task_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK}, // nanoseconds on a core
    {"page_faults", "page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
});

// A thread reads so many of them. Processors have few registers for them.
constexpr std::size_t most_counters = 4;

} // namespace tactus
