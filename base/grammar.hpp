// ITAC's grammar of option values: booleans, byte sizes, times. Pure.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string_view>

namespace tactus {

// Takes on, true, yes, 1, off, false, no and 0, in any case. An empty value means on, as a bare option does.
Result<bool> parse_bool(std::string_view text);

// Takes a whole number with an optional unit B, KB, MB, GB (powers of 1024; also K, M, G), such as "64KB".
Result<std::uint64_t> parse_bytes(std::string_view text);

// Takes a sum of numbers with units, such as "1m+30s", and gives nanoseconds. The units are c (us), l (ms), s, m, h, d,
// w, and also us, ms and ns. A bare number is in seconds.
Result<std::int64_t> parse_time(std::string_view text);

Result<std::uint64_t> parse_count(std::string_view text);

// These know the letters of ASCII only, whatever locale the application has set.
char lower(char c);
char upper(char c);
std::string lower(std::string_view text);
bool equal_ignoring_case(std::string_view a, std::string_view b);

// Gives the text without the blanks and line ends around it.
std::string_view trimmed(std::string_view text);

} // namespace tactus
