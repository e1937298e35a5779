// Libraries that a program opens with RTLD_DEEPBIND, as Julia does. The dynamic linker looks for what they use in the
// libraries that they need before it looks at what is preloaded. So their calls would go to the MPI directly, and their
// dlsym to the C library. Their tables of addresses get what every other library has there.
//
// The dynamic linker fills these tables while dlopen works. They are changed when the program calls dlopen, dlsym or
// dlclose next: most programs ask dlsym for the first function of a library that they opened. Until then, calls of its
// constructors, and of what these have registered, go to the MPI.
#pragma once

#include <atomic>

namespace tactus {

// Whether any library was opened with RTLD_DEEPBIND. Never cleared.
extern constinit std::atomic<bool> deep_libraries_opened;

// Leads what was loaded since the last time to the wrappers. Any thread may call these, where it may call dlsym.
void look_for_deep_libraries();
inline void bind_deep_libraries() {
    if (deep_libraries_opened.load(std::memory_order_relaxed)) [[unlikely]]
        look_for_deep_libraries();
}

} // namespace tactus
