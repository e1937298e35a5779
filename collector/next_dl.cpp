#include "collector/next_dl.hpp"

#include "collector/dynamic_symbols.hpp"

#include <cstring>

extern "C" { // dl_entries.S jumps to the first three
[[gnu::visibility("hidden")]] constinit void* tactus_next_dlopen = nullptr;
[[gnu::visibility("hidden")]] constinit void* tactus_next_dlvsym = nullptr;
[[gnu::visibility("hidden")]] constinit void* tactus_next_dlsym = nullptr;
}

namespace tactus {
namespace {

constinit void* next_dlclose_function = nullptr;

struct NextFunction {
    const char* name;
    void** function;
};
constexpr NextFunction next_functions[] = {{"dlopen", &tactus_next_dlopen},
                                           {"dlvsym", &tactus_next_dlvsym},
                                           {"dlclose", &next_dlclose_function},
                                           {"dlsym", &tactus_next_dlsym}}; // the last, since it says that all are found

} // namespace

void find_next_dl() {
    if (__atomic_load_n(&tactus_next_dlsym, __ATOMIC_ACQUIRE) != nullptr) return;
    for (const auto& next : next_functions) // Two threads may do this at once, and both find the same.
        __atomic_store_n(next.function, function_after_this_library(next.name), __ATOMIC_RELEASE);
}

bool is_in_front_of(const char* name) {
    for (const auto& next : next_functions)
        if (std::strcmp(next.name, name) == 0) return true;
    return false;
}

bool is_next_dl(const char* name, const void* address) {
    for (const auto& next : next_functions)
        if (std::strcmp(next.name, name) == 0) return *next.function == address;
    return false;
}

void* next_dlsym(void* handle, const char* name) {
    return reinterpret_cast<void* (*)(void*, const char*)>(tactus_next_dlsym)(handle, name);
}

int next_dlclose(void* handle) { return reinterpret_cast<int (*)(void*)>(next_dlclose_function)(handle); }

} // namespace tactus
