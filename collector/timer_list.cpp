// VT_TIMER=LIST: prints which timers there are and what each costs on this machine.
#include "base/log.hpp"
#include "collector/session.hpp"

#include <algorithm>

namespace tactus {
namespace {

struct TimerCost {
    double read_ns = 0;
    Ticks resolution = 0; // by how much two reads usually differ
};

TimerCost cost_of(Timer timer) {
    constexpr int reads = 10'000;
    std::vector<Ticks> steps;
    steps.reserve(reads);
    Ticks last = read_timer(timer);
    const std::int64_t begin = monotonic_ns();
    for (int i = 0; i < reads; ++i) {
        const Ticks next = read_timer(timer);
        if (next > last) steps.push_back(next - last);
        last = next;
    }
    const auto passed = static_cast<double>(monotonic_ns() - begin);
    if (steps.empty()) return {passed / reads, 0};
    std::nth_element(steps.begin(), steps.begin() + steps.size() / 2, steps.end());
    return {passed / reads, steps[steps.size() / 2]};
}

} // namespace

void list_timers() {
    const Timer best = best_timer();
    sayf("timers here (VT_TIMER chooses; CPU and CPU_Norm are names of %s):", name_of(processor::counter));
    for (std::size_t i = 0; i < timer_names.size(); ++i) {
        const auto timer = static_cast<Timer>(i);
        if (!is_here(timer)) continue;
        const TimerCost cost = cost_of(timer);
        const bool trusted = !is_counter(timer) || timer == best;
        sayf("  %-20s %4.0f ns a read; two reads differ by %llu %s%s%s", timer_names[i], cost.read_ns,
             static_cast<unsigned long long>(cost.resolution), is_counter(timer) ? "ticks" : "ns",
             trusted ? "" : "; not invariant here: ranks on other cores may see other times",
             timer == best ? "; the default" : "");
    }
}

} // namespace tactus
