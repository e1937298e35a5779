#include "collector/deep_binding.hpp"

#include "base/locked.hpp"
#include "base/thread_state_kept.hpp"
#include "collector/dynamic_symbols.hpp"
#include "collector/entries.hpp"
#include "collector/modules.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
[[gnu::visibility("hidden")]] constinit void* tactus_next_dlopen = nullptr;
}

namespace tactus {

constinit std::atomic<DeepLibraries> deep_libraries{DeepLibraries::none};

namespace {

// What was loaded before dlopen was last called, and by whom it was called.
struct Opening {
    std::size_t objects_before = 0;
    pthread_t thread{};
    std::uint64_t changes_seen = 0; // module_changes() when it was last looked
};
constinit Opening opening;
constinit pthread_mutex_t opening_lock = PTHREAD_MUTEX_INITIALIZER;

bool is_within(const dl_phdr_info& object, std::uintptr_t address) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && address - object.dlpi_addr - segment.p_vaddr < segment.p_memsz) return true;
    }
    return false;
}

// Whether the dynamic linker has made a page read-only after it filled the tables there. It rounds both ends down.
bool is_read_only(const dl_phdr_info& object, std::uintptr_t page, std::uintptr_t page_bytes) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
        const std::uintptr_t end = (begin + segment.p_memsz) & ~(page_bytes - 1);
        if (segment.p_type == PT_GNU_RELRO && page + page_bytes > begin && page < end) return true;
    }
    return false;
}

void write_address(const dl_phdr_info& object, std::uintptr_t* slot, std::uintptr_t address) {
    const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto* const page = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot) & ~(page_bytes - 1));
    const bool read_only = is_read_only(object, reinterpret_cast<std::uintptr_t>(page), page_bytes);
    if (read_only && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(slot, address, __ATOMIC_RELEASE);
    if (read_only) mprotect(page, page_bytes, PROT_READ);
}

// The relocations of one of an object's tables. A slot is changed when it leads to the MPI, or to the object's own code
// that asks the dynamic linker at the first call.
void bind_relocations(const dl_phdr_info& object, const DynamicSymbols& symbols, const ElfW(Rela) * begin,
                      const ElfW(Rela) * end) {
    for (const ElfW(Rela)* relocation = begin; relocation != end; ++relocation) {
        const auto type = ELF64_R_TYPE(relocation->r_info);
        const auto symbol = ELF64_R_SYM(relocation->r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
        if (symbols.symbols[symbol].st_shndx != SHN_UNDEF || relocation->r_addend != 0) continue;
        const char* const name = symbols.name(static_cast<std::uint32_t>(symbol));
        if (!begins_as_mpi(name)) continue;
        auto* const slot = reinterpret_cast<std::uintptr_t*>(object.dlpi_addr + relocation->r_offset);
        const std::uintptr_t now = __atomic_load_n(slot, __ATOMIC_RELAXED);
        const auto* const target = reinterpret_cast<const void*>(now);
        if (is_of_this_library(target) || (!is_within(object, now) && !is_mpi_code(target))) continue;
        if (const void* const entry = own_entry(name); entry != nullptr)
            write_address(object, slot, reinterpret_cast<std::uintptr_t>(entry));
    }
}

void bind_object(const dl_phdr_info& object) {
    const ElfW(Dyn)* const section = dynamic_section(object);
    const DynamicSymbols symbols{section, object.dlpi_addr};
    if (symbols.symbols == nullptr || symbols.strings == nullptr) return;
    const ElfW(Rela)* data = nullptr;
    const ElfW(Rela)* functions = nullptr;
    std::size_t data_bytes = 0;
    std::size_t function_bytes = 0;
    for (const ElfW(Dyn)* entry = section; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_RELA) data = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_RELASZ) data_bytes = entry->d_un.d_val;
        if (entry->d_tag == DT_JMPREL) functions = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        if (entry->d_tag == DT_PLTRELSZ) function_bytes = entry->d_un.d_val;
    }
    bind_relocations(object, symbols, data, data + data_bytes / sizeof *data);
    bind_relocations(object, symbols, functions, functions + function_bytes / sizeof *functions);
}

std::size_t count_objects() {
    std::size_t objects = 0;
    const auto count = [](dl_phdr_info*, std::size_t, void* sum) {
        ++*static_cast<std::size_t*>(sum);
        return 0;
    };
    dl_iterate_phdr(count, &objects);
    return objects;
}

struct Walk {
    std::size_t skip; // objects that were there before
    std::size_t found = 0;
};

int visit(dl_phdr_info* object, std::size_t, void* data) {
    auto& walk = *static_cast<Walk*>(data);
    if (walk.skip > 0) {
        --walk.skip;
        return 0;
    }
    ++walk.found;
    if (!is_mpi_library(object->dlpi_name)) bind_object(*object);
    return 0;
}

} // namespace

// Another thread sees new objects while the dynamic linker is still at work on them. So it looks, but only the thread
// that called dlopen ends the search: when it comes here, dlopen has returned to it or calls constructors.
void look_for_deep_libraries() {
    const ThreadStateKept kept;
    const std::uint64_t changes = module_changes();
    Opening asked;
    {
        const Locked hold{opening_lock};
        asked = opening;
        opening.changes_seen = changes;
    }
    const bool is_opener = pthread_equal(asked.thread, pthread_self()) != 0;
    if (!is_opener && changes == asked.changes_seen) return;
    Walk walk{asked.objects_before};
    dl_iterate_phdr(visit, &walk);
    if (is_opener && walk.found > 0) deep_libraries.store(DeepLibraries::bound, std::memory_order_relaxed);
}

} // namespace tactus

// Called before each dlopen of the program.
extern "C" [[gnu::visibility("hidden")]] void tactus_before_dlopen(const char*, int mode) {
    using namespace tactus;
    if (__atomic_load_n(&tactus_next_dlopen, __ATOMIC_RELAXED) == nullptr) [[unlikely]] // Two threads find the same.
        __atomic_store_n(&tactus_next_dlopen, function_after_this_library("dlopen"), __ATOMIC_RELAXED);
    bind_deep_libraries();
    if ((mode & RTLD_DEEPBIND) != 0) {
        const ThreadStateKept kept;
        const std::size_t objects = count_objects();
        const Locked hold{opening_lock};
        opening = {objects, pthread_self(), 0};
        deep_libraries.store(DeepLibraries::expected, std::memory_order_relaxed);
    } else if (deep_libraries.load(std::memory_order_relaxed) == DeepLibraries::expected) {
        deep_libraries.store(DeepLibraries::bound, std::memory_order_relaxed); // What follows is not bound deeply.
    }
}
