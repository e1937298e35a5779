#include "collector/next_dl.hpp"

#include "collector/dynamic_symbols.hpp"

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
    bool is_only_one = false;
};
constinit NextFunction next_functions[] = {{"dlopen", &tactus_next_dlopen},
                                           {"dlvsym", &tactus_next_dlvsym},
                                           {"dlclose", &next_dlclose_function},
                                           {"dlsym", &tactus_next_dlsym}}; // the last, since it says that all are found

NextFunction* next_of(const char* name) {
    for (auto& next : next_functions)
        if (is_same_name(next.name, name)) return &next;
    return nullptr;
}

bool is_another(const char* name, const void* function) { return function != function_after_this_library(name); }

// As soon as this library is initialized, when no other thread can unload what is looked through.
[[gnu::constructor]] void find_at_load() { find_next_dl(); }

} // namespace

void find_next_dl() {
    if (__atomic_load_n(&tactus_next_dlsym, __ATOMIC_ACQUIRE) != nullptr) return; // pairs with the last store below
    for (auto& next : next_functions) { // Two threads may do this at once, and both find the same.
        const bool is_only_one =
            !is_defined_before_this_library(next.name) && function_after_this_library(next.name, is_another) == nullptr;
        __atomic_store_n(&next.is_only_one, is_only_one, __ATOMIC_RELAXED);
        __atomic_store_n(next.function, function_after_this_library(next.name), __ATOMIC_RELEASE);
    }
}

bool is_in_front_of(const char* name) { return next_of(name) != nullptr; }

bool is_in_front_of_one(const char* name) {
    const NextFunction* const next = next_of(name);
    return next != nullptr && __atomic_load_n(&next->is_only_one, __ATOMIC_RELAXED);
}

bool is_next_dl(const char* name, const void* address) {
    const NextFunction* const next = next_of(name);
    return next != nullptr && __atomic_load_n(next->function, __ATOMIC_RELAXED) == address;
}

void* next_dlsym(void* handle, const char* name) {
    return reinterpret_cast<void* (*)(void*, const char*)>(tactus_next_dlsym)(handle, name);
}

int next_dlclose(void* handle) { return reinterpret_cast<int (*)(void*)>(next_dlclose_function)(handle); }

} // namespace tactus
