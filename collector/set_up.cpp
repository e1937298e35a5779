// The first MPI call of the process comes here. This finds the MPI that the program itself brought, checks that it is
// the kind this library was built for, and points the exported names at the wrappers or at the MPI itself.
#include "base/log.hpp"
#include "base/mpi/datatypes.hpp"
#include "base/mpi/libraries.hpp"
#include "base/thread_state_kept.hpp"
#include "collector/fortran.hpp"
#include "collector/modules.hpp"
#include "collector/selection.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"

#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <new>
#include <pthread.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace tactus {

const Entry entry_list[entry_count] = {
#include "entries.gen.inc"
};

namespace {

static_assert(sizeof(Pmpi) == entry_count * sizeof(void*), "one pointer a function");

// The address at which the object that holds `place` is mapped; nullptr when none does.
const void* object_of(const void* place) {
    Dl_info where{};
    return place != nullptr && dladdr(place, &where) != 0 ? where.dli_fbase : nullptr;
}

bool is_mpi(void* library) {
    // A plugin or a program that depends on an MPI shows the same symbols; only where they are defined counts. MPICH
    // may be built so that its PMPI_ names lie in a library of their own, libpmpi.so.
    Dl_info where{};
    void* function = dlsym(library, "PMPI_Init");
    if (function != nullptr && dladdr(function, &where) != 0 && has_prefix(where.dli_fname, "libpmpi"))
        function = dlsym(library, "MPI_Init");
    const void* const object = object_of(function);
    link_map* map = nullptr;
    return object != nullptr && object != object_of(tactus_entries) &&
           dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 &&
           reinterpret_cast<std::uintptr_t>(object) == map->l_addr;
}

bool library_version(void* library, char* text) {
    auto ask = reinterpret_cast<int (*)(char*, int*)>(dlsym(library, "PMPI_Get_library_version"));
    int size = 0;
    text[0] = '\0';
    return ask != nullptr && ask(text, &size) == 0;
}

// Whether the library's handles and statuses are those of the standard ABI of MPI 5. A library that also comes in that
// form says no by a version of -1.
bool has_standard_abi(void* library) {
    auto ask = reinterpret_cast<int (*)(int*, int*)>(dlsym(library, "PMPI_Abi_get_version"));
    int version = -1;
    int subversion = -1;
    return ask != nullptr && ask(&version, &subversion) == 0 && version >= 0;
}

// The maker and the version do not matter: two libraries may have the standard ABI, Intel's and Cray's MPI have MPICH's
// handles, Fujitsu's has Open MPI's.
bool is_our_kind(void* library) {
    return is_mpi(library) && dlsym(library, own_symbol) != nullptr && has_standard_abi(library) == is_standard_abi;
}

// Returns the mapped object that is accepted. Where the program's own MPI_Init leads to an MPI, no other counts: a
// wrapper brings another MPI in, whose handles the program does not have. Otherwise those that are named like this
// library's MPI are tried before the others. The object stays open, because pointers to its functions must stay valid.
void* find(bool (*accept)(void*)) {
    const std::vector<std::string> paths = mapped_objects();
    Dl_info where{};
    if (void* const init = dlsym(RTLD_NEXT, "MPI_Init"); init != nullptr && dladdr(init, &where) != 0) {
        void* const library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        if (library != nullptr && is_mpi(library)) return accept(library) ? library : nullptr;
        if (library != nullptr) dlclose(library);
    }
    for (const bool by_name : {true, false}) {
        for (const std::string& path : paths) {
            bool named = false;
            for (const char* name : library_names) named = named || has_prefix(path.c_str(), name);
            if (named != by_name) continue;
            void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
            if (library == nullptr) continue;
            if (accept(library)) return library;
            dlclose(library);
        }
    }
    return nullptr;
}

constexpr std::size_t name_count = entry_count + fortran_count;

// Another thread may be jumping through the entry. It changes as a whole, and either target is right.
void point_entry(std::size_t i, void* where) {
    if (where != nullptr) __atomic_store_n(&tactus_entries[i], where, __ATOMIC_RELEASE);
}

[[noreturn]] void missing_function() {
    say("the program called an MPI function that its MPI library does not have; ending it");
    _exit(127);
}

constinit std::atomic<bool> recording{false}; // wrappers are in use, until step_aside()

// Points MPI_X and PMPI_X to where they lead now: to the wrapper, or past it. When another tool has a wrapper behind
// this one, MPI_X leads to that tool next, and the tool's PMPI_X must lead to the MPI.
void point_names(std::size_t i, void* wrapper, void* reached, void* mpi) {
    const bool records = recording;
    point_entry(i, records ? wrapper : reached);
    point_entry(name_count + i, records && reached == mpi ? wrapper : mpi);
}

void point_functions() {
    for (std::size_t i = 0; i < entry_count; ++i)
        point_names(i, entry_list[i].wrapper, reinterpret_cast<void**>(&onward)[i], reinterpret_cast<void**>(&pmpi)[i]);
}

void point_procedure(std::size_t i) {
    void* const reached = __atomic_load_n(&fortran_originals[i], __ATOMIC_ACQUIRE);
    if (reached != nullptr) point_names(entry_count + i, fortran_list[i].wrapper, reached, fortran_mpi[i]);
}

// Fortran procedures are looked up one by one, when they are first called, because their library may be opened late.
void set_up_fortran(std::size_t i) {
    if (find_fortran(i)) {
        point_procedure(i);
        if (!recording) point_procedure(i); // Another thread may have stepped aside meanwhile.
    } else {
        point_entry(entry_count + i, reinterpret_cast<void*>(&missing_function));
        point_entry(name_count + entry_count + i, reinterpret_cast<void*>(&missing_function));
    }
}

// The function that the program would call if this library were not there: another tool's, or the MPI's.
void* function_behind(const char* name, void* mpi) {
    void* const function = dlsym(RTLD_NEXT, name);
    const bool is_of_a_tool = function != nullptr && !is_mpi_code(function) && object_of(function) != object_of(mpi);
    return is_of_a_tool ? function : mpi;
}

void find_functions(void* library) {
    for (std::size_t i = 0; i < entry_count; ++i) {
        const char* name = entry_list[i].name;
        const std::string profiling = "P" + std::string{name};
        void* function = library != nullptr ? find_function(library, name) : nullptr;
        if (function == nullptr) function = dlsym(RTLD_NEXT, profiling.c_str());
        if (function == nullptr) function = dlsym(RTLD_NEXT, name);
        const bool is_there = function != nullptr;
        if (!is_there) function = reinterpret_cast<void*>(&missing_function);
        reinterpret_cast<void**>(&pmpi)[i] = function;
        reinterpret_cast<void**>(&onward)[i] = is_there ? function_behind(name, function) : function;
    }
    dlerror(); // which would tell the program of those that are not there
}

void set_up_once() {
    void* library = find(is_our_kind);
    if (library == nullptr) {
        void* other = find(is_mpi);
        find_functions(other);
        point_functions();
        char version[MPI_MAX_LIBRARY_VERSION_STRING + 8192];
        if (other == nullptr || !library_version(other, version)) std::strcpy(version, "an MPI that cannot be found");
        version[std::strcspn(version, ",\n")] = '\0';
        sayf("this is the collector for %s, but the program uses %.200s%s: it runs untraced (`tactus run` picks the "
             "right one)",
             mpi_name, version, other != nullptr && has_standard_abi(other) ? " with the standard ABI" : "");
        return;
    }
    find_functions(library);
    const char* missing = find_handles(library);
    int running = 0;
    pmpi.Initialized(&running);
    if (missing != nullptr)
        sayf("the program's %s has no %s, it is too old or too new for this collector: it runs untraced", mpi_name,
             missing);
    else if (running != 0)
        say("MPI was started before the collector could see it: the program runs untraced");
    if (missing != nullptr || running != 0) return point_functions();
    session = new (std::nothrow) Session;
    if (session != nullptr) select_by_name();
    recording = session != nullptr;
    point_functions();
}

} // namespace

void step_aside() {
    recording = false;
    point_functions();
    for (std::size_t i = 0; i < fortran_count; ++i) point_procedure(i);
}

} // namespace tactus

// Called from entry.S, with every argument register saved: by every call until the set-up is complete, and by the first
// call of each Fortran procedure. `index` is the entry that was called.
extern "C" [[gnu::visibility("hidden")]] void tactus_set_up(std::size_t index) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const tactus::ThreadStateKept kept;
    pthread_once(&once, tactus::set_up_once);
    const std::size_t name = index % tactus::name_count;
    if (name >= tactus::entry_count) tactus::set_up_fortran(name - tactus::entry_count);
}
