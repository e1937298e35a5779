#include "base/options/clock_error.hpp"

#include "base/grammar.hpp"

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

namespace tactus {
namespace {

Error not_understood(std::string_view part) {
    return Error{"'" + std::string{part} +
                 "' is not RANKS:offset=1ms,ppm=20,sine=20us/40s,slew=5ppm@3s,step=50us@4s,host=b"};
}

std::string_view cut(std::string_view& rest, char separator) {
    const auto at = std::min(rest.find(separator), rest.size());
    const std::string_view part = rest.substr(0, at);
    rest.remove_prefix(std::min(at + 1, rest.size()));
    return trimmed(part);
}

std::optional<double> number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
    return value;
}

std::optional<double> signed_time(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const auto time = parse_time(text);
    if (text.empty() || text.starts_with('-') || !time) return {};
    return static_cast<double>(negative ? -*time : *time);
}

std::optional<double> parts_per_million(std::string_view text) {
    if (text.ends_with("ppm")) text.remove_suffix(3);
    const auto value = number(text);
    if (!value) return {};
    return *value * 1e-6;
}

// Whether RANKS names the rank; nothing when RANKS is malformed.
std::optional<bool> names(std::string_view ranks, std::uint32_t rank) {
    if (ranks == "*") return true;
    const auto dash = ranks.find('-');
    const auto first = parse_count(ranks.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_count(ranks.substr(dash + 1));
    if (ranks.empty() || !first || !last || *last < *first) return {};
    return *first <= rank && rank <= *last;
}

} // namespace

Outcome ClockError::take(std::string_view key, std::string_view value) {
    const std::string part = std::string{key} + "=" + std::string{value};
    std::string_view rest = value;
    const char separator = key == "sine" ? '/' : '@';
    const std::string_view amount = cut(rest, separator);
    const auto from = signed_time(rest);
    const bool two = key == "sine" || key == "slew" || key == "step";
    if (two != from.has_value() || (two && *from <= 0 && key == "sine")) return not_understood(part);
    if (key == "host" && !value.empty()) {
        host_ = value;
        return Done{};
    }
    const auto size = key == "ppm" || key == "slew" ? parts_per_million(amount) : signed_time(amount);
    if (!size) return not_understood(part);
    if (key == "offset")
        offset_ns_ += *size;
    else if (key == "ppm")
        rate_ += *size;
    else if (key == "slew")
        slews_.push_back({*size, *from});
    else if (key == "step")
        steps_.push_back({*size, *from});
    else if (key == "sine") {
        amplitude_ns_ = *size;
        period_ns_ = *from;
    } else
        return not_understood(part);
    return Done{};
}

Result<ClockError> ClockError::parse(std::string_view text) {
    ClockError error;
    error.text_ = text;
    while (!text.empty()) {
        std::string_view value = cut(text, ',');
        const std::string_view key = cut(value, '=');
        if (auto taken = error.take(key, value); !taken) return taken.error();
    }
    return error;
}

double ClockError::ns(double t_ns) const {
    double ahead = offset_ns_ + rate_ * t_ns;
    if (period_ns_ > 0) ahead += amplitude_ns_ * std::sin(2 * std::numbers::pi * t_ns / period_ns_);
    for (const Change& slew : slews_) ahead += slew.amount * std::max(0.0, t_ns - slew.from_ns);
    for (const Change& step : steps_) ahead += t_ns >= step.from_ns ? step.amount : 0;
    return ahead;
}

Result<ClockError> clock_error_of(std::string_view option, std::uint32_t rank) {
    ClockError chosen;
    while (!trimmed(option).empty()) {
        std::string_view part = cut(option, ';');
        const std::string_view whole = part;
        const auto here = names(cut(part, ':'), rank);
        if (!here) return not_understood(whole);
        auto error = ClockError::parse(part);
        if (!error) return error.error();
        if (*here) chosen = *error;
    }
    return chosen;
}

} // namespace tactus
