#include "base/grammar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tactus {
namespace {

Error invalid(std::string_view text, const char* expected) {
    return Error{"'" + std::string{text} + "' is not " + expected};
}

template <class Number> struct Unit {
    std::string_view name;
    Number factor;
};

template <class Number, std::size_t n>
const Unit<Number>* find_unit(const std::array<Unit<Number>, n>& units, std::string_view name) {
    const auto* unit =
        std::find_if(units.begin(), units.end(), [&](const auto& u) { return equal_ignoring_case(u.name, name); });
    return unit == units.end() ? nullptr : unit;
}

constexpr auto byte_units = std::to_array<Unit<std::uint64_t>>({{"", 1},
                                                                {"B", 1},
                                                                {"K", 1 << 10},
                                                                {"KB", 1 << 10},
                                                                {"M", 1 << 20},
                                                                {"MB", 1 << 20},
                                                                {"G", 1 << 30},
                                                                {"GB", 1 << 30}});

constexpr auto time_units = std::to_array<Unit<double>>({{"", 1e9},
                                                         {"ns", 1},
                                                         {"c", 1e3},
                                                         {"us", 1e3},
                                                         {"l", 1e6},
                                                         {"ms", 1e6},
                                                         {"s", 1e9},
                                                         {"m", 60e9},
                                                         {"h", 3600e9},
                                                         {"d", 86400e9},
                                                         {"w", 604800e9}});

// Parses one term "<number><unit>" of a time and gives nanoseconds; nothing when it is malformed.
std::optional<double> parse_time_term(std::string_view term) {
    double number = 0;
    const auto [end, error] = std::from_chars(term.data(), term.data() + term.size(), number, std::chars_format::fixed);
    if (error != std::errc{} || end == term.data()) return {};
    const auto* unit = find_unit(time_units, term.substr(static_cast<std::size_t>(end - term.data())));
    if (unit == nullptr) return {};
    return number * unit->factor;
}

} // namespace

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string lower(std::string_view text) {
    std::string lowered{text};
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](char c) { return lower(c); });
    return lowered;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

Result<bool> parse_bool(std::string_view text) {
    for (const std::string_view yes : {"", "on", "true", "yes", "1"})
        if (equal_ignoring_case(text, yes)) return true;
    for (const std::string_view no : {"off", "false", "no", "0"})
        if (equal_ignoring_case(text, no)) return false;
    return invalid(text, "on or off");
}

Result<std::uint64_t> parse_count(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return invalid(text, "a whole number");
    return number;
}

Result<std::uint64_t> parse_bytes(std::string_view text) {
    constexpr const char* expected = "a size such as 64KB (units B, KB, MB, GB)";
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return invalid(text, expected);
    const auto* unit = find_unit(byte_units, text.substr(static_cast<std::size_t>(end - text.data())));
    if (unit == nullptr || number > std::numeric_limits<std::uint64_t>::max() / unit->factor)
        return invalid(text, expected);
    return number * unit->factor;
}

Result<std::int64_t> parse_time(std::string_view text) {
    constexpr const char* expected = "a time such as 1m+30s (units c = us, l = ms, s, m, h, d, w)";
    double sum = 0;
    std::string_view rest = text;
    while (true) {
        const std::size_t plus = rest.find('+');
        const auto term = parse_time_term(rest.substr(0, plus));
        if (!term) return invalid(text, expected);
        sum += *term;
        if (plus == std::string_view::npos) break;
        rest.remove_prefix(plus + 1);
    }
    constexpr double limit = 9e18;
    if (!(std::abs(sum) < limit)) return invalid(text, expected);
    return static_cast<std::int64_t>(std::llround(sum));
}

} // namespace tactus
