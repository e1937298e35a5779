#include "collector/counters.hpp"

#include "base/errno_kept.hpp"
#include "base/options/filter.hpp"
#include "trace/stretch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>
#include <utility>

namespace tactus {
namespace {

// Written once, before any thread reads.
std::array<const CountedEvent*, most_counters> events{};
std::size_t event_count = 0;
std::array<int, most_counters> refused_to_first{};

// Nanoseconds of all threads up to their last reading.
std::atomic<std::uint64_t> enabled_ns{0};
std::atomic<std::uint64_t> running_ns{0};

std::vector<ProcessorCounter> all_counters(std::uint64_t counted) {
    std::vector<ProcessorCounter> all;
    for (std::size_t i = 0; i < event_count; ++i)
        all.push_back({.name = std::string{events[i]->name}, .refused = refused_to_first[i], .counted = counted});
    return all;
}

} // namespace

std::vector<ProcessorCounter> begin_counters(const Options& options, std::string& complaint) {
    std::string left_out;
    for (const CountedEvent* const event : events_to_count(options))
        if (event_count < most_counters)
            events[event_count++] = event;
        else
            left_out += (left_out.empty() ? "" : ", ") + std::string{event->name};
    if (!left_out.empty())
        complaint = "VT_COUNTER: a thread reads at most " + std::to_string(most_counters) +
                    " counters of the processor; " + left_out +
                    (left_out.find(',') == std::string::npos ? " is" : " are") + " left out";
    if (event_count == 0) return {};
    ThreadCounters trial;
    refused_to_first = trial.open(std::span{events}.first(event_count));
    trial.close();
    for (std::size_t i = 0; i < event_count; ++i)
        if (refused_to_first[i] != 0)
            complaint += (complaint.empty() ? "VT_COUNTER: " : "; ") + std::string{events[i]->name} +
                         " cannot be counted here: " + strerror(refused_to_first[i]);
    return all_counters(1000);
}

std::size_t counters_read() { return event_count; }

void open_counters(ThreadCounters& counters) {
    if (event_count > 0) counters.open(std::span{events}.first(event_count));
}

std::array<std::int64_t, most_counters> read_counters(ThreadCounters& counters) {
    std::array<std::int64_t, most_counters> counted = Stretch::not_counted;
    if (event_count == 0) return counted;
    const std::uint64_t enabled = counters.enabled_ns();
    const std::uint64_t running = counters.running_ns();
    counters.read(std::span{counted}.first(event_count));
    enabled_ns.fetch_add(counters.enabled_ns() - enabled, std::memory_order_relaxed);
    running_ns.fetch_add(counters.running_ns() - running, std::memory_order_relaxed);
    return counted;
}

void close_counters(ThreadCounters& counters) {
    if (event_count > 0) counters.close();
}

void forget_counters(ThreadCounters& counters) {
    if (event_count == 0) return;
    const ErrnoKept kept;
    ThreadCounters::leave_to_parent();
    counters = {};
}

std::vector<ProcessorCounter> end_counters() {
    if (event_count == 0) return {};
    ThreadCounters::stop_all();
    const std::uint64_t enabled = enabled_ns.load(std::memory_order_relaxed);
    const std::uint64_t running = std::min(running_ns.load(std::memory_order_relaxed), enabled);
    return all_counters(enabled == 0 ? 1000 : 1000 * running / enabled);
}

} // namespace tactus
