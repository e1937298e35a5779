// Libraries that a program opens with RTLD_DEEPBIND, as Julia does. The dynamic linker looks for what they use in the
// libraries that they need before it looks at what is preloaded, so their calls would go to the MPI directly. Where
// they name a function of MPI, their tables of addresses get this library's entry instead.
//
// The dynamic linker fills these tables while dlopen works, so they are changed afterwards: before anything asks dlsym
// for a function of the new library. Calls that its constructors make go to the MPI.
#pragma once

#include <atomic>
#include <cstdint>

namespace tactus {

enum class DeepLibraries : std::uint8_t {
    none,     // No library was opened with RTLD_DEEPBIND.
    expected, // The last dlopen was asked for one, and it has not been found yet.
    bound,
};
extern constinit std::atomic<DeepLibraries> deep_libraries;

// Leads the calls of new libraries that were opened with RTLD_DEEPBIND to the wrappers. Any thread may call these.
void look_for_deep_libraries();
inline void bind_deep_libraries() {
    if (deep_libraries.load(std::memory_order_relaxed) == DeepLibraries::expected) [[unlikely]]
        look_for_deep_libraries();
}

} // namespace tactus
