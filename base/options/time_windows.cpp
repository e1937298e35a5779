#include "base/options/time_windows.hpp"

namespace tactus {

TimeWindows TimeWindows::read(const Options& options) {
    TimeWindows all;
    if (auto windows = parse_time_windows(options.text(Option::time_windows))) all.windows_ = std::move(*windows);
    return all;
}

TimeWindows::Recording TimeWindows::at(std::int64_t nanoseconds_since_start) const {
    for (const TimeWindow& window : windows_) {
        if (nanoseconds_since_start < window.begin) return {false, window.begin};
        if (nanoseconds_since_start < window.end) return {true, window.end};
    }
    return {windows_.empty(), never};
}

} // namespace tactus
