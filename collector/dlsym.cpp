// The answers to dlsym and dlvsym (dlsym.S).
#include "base/thread_state_kept.hpp"
#include "collector/dynamic_symbols.hpp"
#include "collector/entries.hpp"
#include "collector/module_history.hpp"
#include "collector/modules.hpp"
#include "collector/thread.hpp"

#include <dlfcn.h>
#include <string>
#include <string_view>

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

// This library's entry for an MPI function. It is that of the profiling name, which leads to the wrapper as well, but
// to the MPI where another tool behind this library wraps the function: that tool may be the one that asks.
void* own_entry(const char* name) {
    static void* const own = [] {
        Dl_info where{};
        return dladdr(tactus_entries, &where) != 0 ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    }();
    if (own == nullptr) return nullptr;
    const std::string_view asked{name};
    std::string profiling{name};
    if (!asked.starts_with('P') && !asked.starts_with('p')) profiling.insert(0, 1, asked.starts_with('m') ? 'p' : 'P');
    void* const found = ask(own, profiling.c_str());
    if (found == nullptr) dlerror(); // The error is not the caller's.
    return found;
}

// Whether a name begins with MPI_, PMPI_, mpi_ or pmpi_.
bool may_be_mpi(const char* name) {
    if (*name == 'P' || *name == 'p') ++name;
    return ((name[0] == 'M' && name[1] == 'P' && name[2] == 'I') ||
            (name[0] == 'm' && name[1] == 'p' && name[2] == 'i')) &&
           name[3] == '_';
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
    if (name == nullptr || handle == RTLD_NEXT || handle == RTLD_DEFAULT) return nullptr;
    if (thread.depth == 0) note_modules(); // The handle may be of a library that was just loaded.
    if (!may_be_mpi(name)) return nullptr;
    return is_mpi_code(caller) ? nullptr : answer(handle, name);
}
