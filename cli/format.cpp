#include "cli/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fmt/format.h>

namespace tactus {

std::string duration_text(double seconds) {
    const double size = std::fabs(seconds);
    if (size >= 1 || size == 0) return fmt::format("{:.3f} s", seconds);
    if (size >= 1e-3) return fmt::format("{:.3f} ms", seconds * 1e3);
    return fmt::format("{:.3f} us", seconds * 1e6);
}

std::string error_text(std::int64_t number) {
    constexpr std::int64_t most = 4095; // of the kernel
    return std::strerror(static_cast<int>(std::clamp<std::int64_t>(number, 0, most)));
}

std::string count_text(std::uint64_t count) {
    const std::string digits = std::to_string(count);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
        text += digits[i];
    }
    return text;
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string plural(std::uint64_t count, const char* singular, const char* many) {
    return count_text(count) + ' ' + (count == 1 ? singular : many);
}

std::string utc_text(std::int64_t realtime_ns) {
    const std::time_t seconds = realtime_ns / 1'000'000'000;
    std::tm parts{};
    if (gmtime_r(&seconds, &parts) == nullptr) return "unknown";
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
    return text.data();
}

std::string file_name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

} // namespace tactus
