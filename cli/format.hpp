// Numbers as text for people: with a unit, and a space between thousands. Pure functions.
#pragma once

#include <cstdint>
#include <string>

namespace tactus {

std::string duration_text(double seconds);   // "1.234 ms"
std::string count_text(std::uint64_t count); // "1 234 567"
std::string error_text(std::int64_t number); // of an error number that a trace has: "Permission denied"
std::string bytes_text(std::uint64_t bytes); // "1.2 MiB"
inline double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }
std::string percent_text(double share);                                          // 0.123: "12.3 %"
std::string plural(std::uint64_t count, const char* singular, const char* many); // "1 rank", "4 ranks"
std::string utc_text(std::int64_t realtime_ns);                                  // "2024-02-29 12:34:56 UTC"
std::string file_name(const std::string& path);                                  // the part after the last slash

} // namespace tactus
