// ITAC's grammar of option values: booleans, byte sizes, times. Pure.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string_view>

namespace tactus {

// on, true, yes, 1, off, false, no, 0; any case; an empty value means on, as a bare option does.
Result<bool> parse_bool(std::string_view text);

// A whole number with an optional unit B, KB, MB, GB (powers of 1024; also K, M, G): "64KB".
Result<std::uint64_t> parse_bytes(std::string_view text);

// A sum of numbers with units c (us), l (ms), s, m, h, d, w, also spelt us, ms, ns: "1m+30s"; a bare number is seconds.
// Gives nanoseconds.
Result<std::int64_t> parse_time(std::string_view text);

Result<std::uint64_t> parse_count(std::string_view text);

char lower(char c);
bool equal_ignoring_case(std::string_view a, std::string_view b);

// Without the blanks and line ends around it.
std::string_view trimmed(std::string_view text);

} // namespace tactus
