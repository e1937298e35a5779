#include "cli/viewer/served_trace.hpp"

#include "cli/messages.hpp"
#include "clocksync/trace_clocks.hpp"
#include "postproc/profile/tracer_cost.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <malloc.h>

namespace tactus {

namespace {

Trace on_clocks(Trace&& trace, Times times) {
    put_on_one_clock(trace, times == Times::raw ? std::optional{Fit::raw} : std::nullopt);
    return std::move(trace);
}

void tell_if_long(const Trace& trace, const char* what) {
    constexpr std::uint64_t many = 10'000'000; // records that take some seconds
    const std::uint64_t records = volume_of(trace).records;
    if (records >= many)
        fmt::print(stderr, "tactus: {}, once, for {}: {:.0f} million records\n", what, printable(trace.path),
                   static_cast<double>(records) / 1e6);
}

} // namespace

TimedTrace::TimedTrace(Trace&& opened, Times times)
    : trace{on_clocks(std::move(opened), times)}, names{trace}, functions{names},
      time_line{trace, times == Times::compensated ? TimesShown::compensated : TimesShown::measured,
                [this](const char* what) { tell_if_long(trace, what); }} {}

TimedTrace::~TimedTrace() {
    if (gatherer_.joinable()) gatherer_.join();
}

bool TimedTrace::gather_links() const {
    std::call_once(begun_, [&] {
        gatherer_ = std::thread{[&] {
            try {
                time_line.links().gather_all();
            } catch (const std::exception& why) {
                time_line.note(
                    {.what = "its messages could not be gathered: " + std::string{why.what()}, .file = trace.path});
            }
            malloc_trim(0); // gives the memory that the replay of all ranks needed back to the system
            links_ready_.store(true, std::memory_order_release);
        }};
    });
    return !links_are_ready();
}

Result<const TimedTrace*> ServedTrace::by(Times times) {
    if (times == Times::corrected) return static_cast<const TimedTrace*>(&corrected_);
    const std::lock_guard hold{others_lock_};
    std::unique_ptr<TimedTrace>& known = others_[times];
    if (!known) {
        auto again = Trace::open(corrected_.trace.path);
        if (!again) return again.error();
        known = std::make_unique<TimedTrace>(std::move(*again), times);
    }
    return static_cast<const TimedTrace*>(known.get());
}

bool ServedTrace::is_busy() {
    const std::lock_guard hold{others_lock_};
    return corrected_.is_gathering() ||
           std::any_of(others_.begin(), others_.end(), [](const auto& other) { return other.second->is_gathering(); });
}

const std::optional<RunWaits>& ServedTrace::waits() {
    std::call_once(waits_found_, [&] { waits_ = waits_of(corrected_.trace, {}); });
    return waits_;
}

void ServedTrace::remember(const std::string& text, const SourceLine& line) {
    const std::lock_guard hold{told_lock_};
    if (line.known()) told_.try_emplace(text, line);
}

std::optional<SourceLine> ServedTrace::line_at(const std::string& text) {
    const std::lock_guard hold{told_lock_};
    const auto known = told_.find(text);
    if (known == told_.end()) return {};
    return known->second;
}

} // namespace tactus
