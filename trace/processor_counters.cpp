#include "trace/processor_counters.hpp"

#include <algorithm>

namespace tactus {

std::vector<ProcessorCounter> processor_counters(const Definitions& definitions) {
    std::vector<ProcessorCounter> counters;
    for (const ProcessorCounter& counter : definitions.processor_counters) {
        const auto known = std::ranges::find(counters, counter.name, &ProcessorCounter::name);
        if (known != counters.end())
            *known = counter;
        else if (counters.size() < most_counters)
            counters.push_back(counter);
    }
    return counters;
}

std::optional<double> NamedCounts::count(const Stretch& stretch, std::string_view name) const {
    const auto counter = std::ranges::find(counters_, name, &ProcessorCounter::name);
    if (counter == counters_.end()) return {};
    const std::int64_t count = stretch.counted[static_cast<std::size_t>(counter - counters_.begin())];
    if (count < 0) return {};
    return static_cast<double>(count);
}

} // namespace tactus
