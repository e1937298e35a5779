// One-line messages to standard error, each a single write(2) that begins with "tactus: ". Any thread;
// async-signal-safe for texts without formatting. The collector writes messages through this alone.
#pragma once

#include <string_view>

namespace tactus {

void say(std::string_view line);
[[gnu::format(printf, 1, 2)]] void sayf(const char* format, ...);

} // namespace tactus
