// The answers to dlsym and dlvsym (dl_entries.S).
#include "base/thread_state_kept.hpp"
#include "collector/deep_binding.hpp"
#include "collector/dynamic_symbols.hpp"
#include "collector/entries.hpp"
#include "collector/module_history.hpp"
#include "collector/modules.hpp"
#include "collector/next_dl.hpp"
#include "collector/thread.hpp"

#include <cstddef>
#include <dlfcn.h>
#include <link.h>

namespace tactus {
namespace {

void* const not_found = reinterpret_cast<void*>(-1); // dl_entries.S knows it

int defines(dl_phdr_info* object, std::size_t, void* name) {
    if (is_of_this_library(object->dlpi_phdr)) return 0;
    return DynamicSymbols{dynamic_section(*object), object->dlpi_addr}.function(static_cast<const char*>(name)) !=
           nullptr;
}

// Whether `handle` leads to a function of this library that no library behind it has. Without this library the program
// would not find it: it asks which MPI it has, and whether there is one at all. Only the linker knows what the caller
// sees of an MPI that is no part of the global scope, so such an MPI counts.
bool is_only_here(void* handle, const char* name) {
    const ThreadStateKept kept;
    void* const own = function_of_this_library(name);
    if (own == nullptr || next_dlsym(handle, name) != own) return false;
    if (dl_iterate_phdr(defines, const_cast<char*>(name)) != 0) return false;
    return next_dlsym(RTLD_NEXT, name) == nullptr; // dlerror() says so, too
}

void* answer(void* handle, const char* name) {
    const ThreadStateKept kept;
    void* const mpi = next_dlsym(handle, name);
    return mpi != nullptr && is_mpi_code(mpi) && !has_second_mpi() ? own_entry(name) : nullptr;
}

// This library's dlopen, dlclose, dlsym or dlvsym, where the answer would be the one behind it. UCX writes its own
// dlopen and dlclose into the tables of all objects, and passes calls on to what a handle of the C library gives it;
// others ask by RTLD_NEXT, and a library that is bound deeply by RTLD_DEFAULT. Without this, such calls would miss this
// library. Where a third object defines such a function, it is left alone, since it may be that function which asks. A
// sanitizer's runtime is such an object, and asks before anything can be called.
void* own_dl_function(void* handle, const char* name) {
    if (handle == RTLD_DEFAULT && !deep_libraries_opened.load(std::memory_order_relaxed)) return nullptr;
    if (!is_in_front_of_one(name) || !is_in_front_of_one("dlsym")) return nullptr;
    const ThreadStateKept kept;
    void* const found = next_dlsym(handle == RTLD_DEFAULT ? RTLD_NEXT : handle, name);
    return is_next_dl(name, found) ? function_of_this_library(name) : nullptr;
}

// What dlsym and dlvsym answer about functions of MPI.
void* answer_about_mpi(void* handle, const char* name, const void* caller) {
    find_next_dl();
    bind_deep_libraries();
    if (name == nullptr || handle == RTLD_NEXT) return nullptr;
    if (handle != RTLD_DEFAULT && thread.depth == 0) note_modules(); // It may be of a library that was just loaded.
    if (!begins_as_mpi(name) || is_mpi_code(caller)) return nullptr;
    if (is_only_here(handle, name)) return not_found;
    if (handle != RTLD_DEFAULT) return answer(handle, name);
    const bool may_be_deep = deep_libraries_opened.load(std::memory_order_relaxed);
    // Untraced, a deeply bound library finds no tool in front of this library. That tool may have opened it.
    return may_be_deep && !has_second_mpi() ? function_of_this_library(name) : nullptr;
}

} // namespace
} // namespace tactus

// These return what dlsym(handle, name) and dlvsym must answer, not_found for no address, or nullptr to let the next
// one answer. Of MPI's functions only those of the MPI's own libraries are replaced, and RTLD_NEXT, by which a tool
// finds what it wraps, is left alone. RTLD_DEFAULT leads to this library by itself, except in a library that is bound
// deeply. The functions of the dynamic linker have versions, so only dlsym answers for this library's own.
extern "C" [[gnu::visibility("hidden")]] void* tactus_answer_dlvsym(void* handle, const char* name,
                                                                    const void* caller) {
    return tactus::answer_about_mpi(handle, name, caller);
}

extern "C" [[gnu::visibility("hidden")]] void* tactus_answer_dlsym(void* handle, const char* name, const void* caller) {
    using namespace tactus;
    void* const about_mpi = answer_about_mpi(handle, name, caller);
    return about_mpi != nullptr || name == nullptr ? about_mpi : own_dl_function(handle, name);
}
