// What the operating system counted for a thread, as counters of other formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tactus {

enum class ThreadCounter : std::uint8_t { on_core, without_core, page_faults };
struct ThreadCounterText {
    const char* name;
    const char* unit;
};
inline constexpr std::array<ThreadCounterText, 3> thread_counters = {{
    {"on a core", "%"},
    {"without a core", "%"},
    {"page faults", "/s"},
}};

} // namespace tactus
