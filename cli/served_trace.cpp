#include "cli/served_trace.hpp"

#include "clocksync/trace_clocks.hpp"

namespace tactus {

ServedTrace::ServedTrace(Trace&& trace, TellWork tell) : tell_{std::move(tell)} {
    put_on_one_clock(trace, {});
    corrected_ = std::make_unique<TimedTrace>(std::move(trace), TimesShown::measured, tell_);
}

Result<const TimedTrace*> ServedTrace::by(Times times) {
    if (times == Times::corrected) return static_cast<const TimedTrace*>(corrected_.get());
    const std::lock_guard hold{others_lock_};
    std::unique_ptr<TimedTrace>& known = others_[times];
    if (!known) {
        auto again = Trace::open(corrected_->trace.path);
        if (!again) return again.error();
        put_on_one_clock(*again, times == Times::raw ? std::optional{Fit::raw} : std::nullopt);
        known = std::make_unique<TimedTrace>(
            std::move(*again), times == Times::compensated ? TimesShown::compensated : TimesShown::measured, tell_);
    }
    return static_cast<const TimedTrace*>(known.get());
}

const std::optional<RunWaits>& ServedTrace::waits() {
    std::call_once(waits_found_, [&] { waits_ = waits_of(corrected_->trace, {}); });
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
