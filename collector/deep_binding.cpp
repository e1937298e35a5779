#include "collector/deep_binding.hpp"

#include "base/thread_state_kept.hpp"
#include "collector/dynamic_symbols.hpp"
#include "collector/entries.hpp"
#include "collector/modules.hpp"
#include "collector/next_dl.hpp"
#include "processor.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tactus {

constinit std::atomic<bool> deep_libraries_opened{false};

namespace {

constinit std::atomic<std::uint64_t> changes_seen{0}; // module_changes() when all libraries were looked at

bool is_within(const dl_phdr_info& object, std::uintptr_t address, ElfW(Word) flags) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && (segment.p_flags & flags) == flags &&
            address - object.dlpi_addr - segment.p_vaddr < segment.p_memsz)
            return true;
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

// Tables in memory that no program writes to, as in libraries with relocations in their code, stay as they are.
void write_address(const dl_phdr_info& object, std::uintptr_t* slot, const void* address) {
    const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto at = reinterpret_cast<std::uintptr_t>(slot);
    auto* const page = reinterpret_cast<void*>(at & ~(page_bytes - 1));
    if (!is_within(object, at, PF_W)) return;
    const bool read_only = is_read_only(object, reinterpret_cast<std::uintptr_t>(page), page_bytes);
    if (read_only && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(slot, reinterpret_cast<std::uintptr_t>(address), __ATOMIC_RELEASE);
    if (read_only) mprotect(page, page_bytes, PROT_READ);
}

bool is_wrapped(const char* name) {
    return begins_as_mpi(name) ? function_of_this_library(name) != nullptr : is_in_front_of(name);
}

// Whether a function is what this library stands in front of.
bool is_behind(const char* name, const void* function) {
    return is_next_dl(name, function) || (is_mpi_code(function) && !is_of_this_library(function));
}
bool is_of_others(const char* name, const void* function) { return !is_behind(name, function); }

// A slot is changed when it leads behind this library. One that leads to the object's own code asks the dynamic linker
// at the first call. It is changed if there is no other function that the dynamic linker could find.
void bind_relocations(const dl_phdr_info& object, const DynamicSymbols& symbols,
                      std::span<const ElfW(Rela)> relocations) {
    for (const ElfW(Rela) & relocation : relocations) {
        const auto type = ELF64_R_TYPE(relocation.r_info);
        const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(relocation.r_info));
        if (!processor::is_address_of_function(type)) continue;
        if (symbols.symbols[symbol].st_shndx != SHN_UNDEF || relocation.r_addend != 0) continue;
        const char* const name = symbols.name(symbol);
        if (!is_wrapped(name)) continue;
        auto* const slot = reinterpret_cast<std::uintptr_t*>(object.dlpi_addr + relocation.r_offset);
        const std::uintptr_t now = __atomic_load_n(slot, __ATOMIC_RELAXED);
        const bool is_unbound = type == processor::bound_at_first_call && is_within(object, now, PF_X) &&
                                function_after_this_library(name, is_of_others) == nullptr;
        if (is_unbound || is_behind(name, reinterpret_cast<const void*>(now)))
            write_address(object, slot, function_of_this_library(name));
    }
}

struct Walk {
    std::uint64_t changes;
    bool is_program = true; // comes first
    bool is_complete = true;
};

int bind_object(dl_phdr_info* object, std::size_t, void* data) {
    auto& walk = *static_cast<Walk*>(data);
    walk.is_complete = object->dlpi_adds + object->dlpi_subs == walk.changes;
    if (!walk.is_complete) return 1;
    const bool is_program = std::exchange(walk.is_program, false);
    if (is_program || is_mpi_library(object->dlpi_name)) return 0;
    const DynamicSymbols symbols{dynamic_section(*object), object->dlpi_addr};
    if (symbols.symbols == nullptr || symbols.strings == nullptr) return 0;
    bind_relocations(*object, symbols, symbols.data_relocations);
    bind_relocations(*object, symbols, symbols.function_relocations);
    return 0;
}

} // namespace

// The dynamic linker lists an object before it fills its tables. Whoever does so holds the lock that dlsym waits for.
// So all objects that were listed before dlsym was called are complete when it returns. Where there are two MPIs, it is
// not known whose functions a library must call, and nothing is changed.
void look_for_deep_libraries() {
    const ThreadStateKept kept;
    for (std::uint64_t changes = module_changes(); changes != changes_seen.load(std::memory_order_relaxed);
         changes = module_changes()) {
        next_dlsym(RTLD_DEFAULT, "dlsym");
        Walk walk{changes};
        if (!has_second_mpi()) dl_iterate_phdr(bind_object, &walk);
        if (walk.is_complete) changes_seen.store(changes, std::memory_order_relaxed);
    }
}

} // namespace tactus

// Called before each dlopen of the program (dl_entries.S).
extern "C" [[gnu::visibility("hidden")]] void tactus_before_dlopen(const char*, int mode) {
    using namespace tactus;
    find_next_dl();
    bind_deep_libraries();
    if ((mode & RTLD_DEEPBIND) != 0) deep_libraries_opened.store(true, std::memory_order_relaxed);
}
