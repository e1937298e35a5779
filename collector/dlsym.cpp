// The answers to dlsym and dlvsym (dl_entries.S).
#include "base/thread_state_kept.hpp"
#include "collector/deep_binding.hpp"
#include "collector/dynamic_symbols.hpp"
#include "collector/entries.hpp"
#include "collector/module_history.hpp"
#include "collector/modules.hpp"
#include "collector/thread.hpp"

#include <dlfcn.h>

extern "C" {
// The functions after this library in the global scope: the C library's, or another tool's.
[[gnu::visibility("hidden")]] constinit void* tactus_next_dlsym = nullptr;
[[gnu::visibility("hidden")]] constinit void* tactus_next_dlvsym = nullptr;
}

namespace tactus {
namespace {

void* ask(void* handle, const char* name) {
    return reinterpret_cast<void* (*)(void*, const char*)>(tactus_next_dlsym)(handle, name);
}

void find_next_functions() {
    // Two threads may do this at once, and both find the same.
    __atomic_store_n(&tactus_next_dlvsym, function_after_this_library("dlvsym"), __ATOMIC_RELAXED);
    __atomic_store_n(&tactus_next_dlsym, function_after_this_library("dlsym"), __ATOMIC_RELAXED);
}

void* answer(void* handle, const char* name) {
    const ThreadStateKept kept;
    void* const mpi = ask(handle, name);
    return mpi != nullptr && is_mpi_code(mpi) ? own_entry(name) : nullptr;
}

} // namespace
} // namespace tactus

// Returns what dlsym(handle, name) must answer, or nullptr to let the next dlsym answer. Only functions of the MPI's
// own libraries are replaced, and only where a handle is asked. RTLD_NEXT is how a tool finds what it wraps.
extern "C" [[gnu::visibility("hidden")]] void* tactus_answer_dlsym(void* handle, const char* name, const void* caller) {
    using namespace tactus;
    if (tactus_next_dlsym == nullptr) [[unlikely]]
        find_next_functions();
    bind_deep_libraries();
    if (name == nullptr || handle == RTLD_NEXT) return nullptr;
    if (handle == RTLD_DEFAULT) { // A library that is bound deeply would find the MPI first.
        const bool may_be_deep = deep_libraries.load(std::memory_order_relaxed) != DeepLibraries::none;
        return may_be_deep && begins_as_mpi(name) && !is_mpi_code(caller) ? ask(RTLD_DEFAULT, name) : nullptr;
    }
    if (thread.depth == 0) note_modules(); // The handle may be of a library that was just loaded.
    if (!begins_as_mpi(name)) return nullptr;
    return is_mpi_code(caller) ? nullptr : answer(handle, name);
}
