#include "collector/dynamic_symbols.hpp"

#include <cstddef>
#include <elf.h>

namespace tactus {

DynamicSymbols::DynamicSymbols(const ElfW(Dyn) * section, ElfW(Addr) base) {
    for (; section != nullptr && section->d_tag != DT_NULL; ++section) {
        // The dynamic linker has added the base to the addresses, except in the vDSO.
        const ElfW(Addr) address = section->d_un.d_ptr < base ? base + section->d_un.d_ptr : section->d_un.d_ptr;
        if (section->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        if (section->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(address);
        if (section->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const std::uint32_t*>(address);
    }
    if (symbols == nullptr || strings == nullptr) hash = nullptr;
}

// DT_GNU_HASH begins with four words: how many buckets there are, the first symbol that is hashed, how many words of 64
// bits the filter has, and the filter's shift. Then come the filter, the buckets, and a word for each hashed symbol,
// whose lowest bit says that its bucket ends there.
std::uint32_t DynamicSymbols::defined_end() const {
    if (hash == nullptr) return 0;
    const std::uint32_t bucket_count = hash[0];
    const std::uint32_t first_hashed = hash[1];
    const std::uint32_t* const buckets = hash + 4 + 2 * std::size_t{hash[2]};
    const std::uint32_t* const ends = buckets + bucket_count;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < bucket_count; ++i)
        if (buckets[i] > last) last = buckets[i];
    if (last < first_hashed) return 0;
    while ((ends[last - first_hashed] & 1) == 0) ++last;
    return last + 1;
}

namespace {

bool same(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a == *b;
}

void* function_of(const link_map& object, const char* name) {
    const DynamicSymbols table{object.l_ld, object.l_addr};
    const std::uint32_t end = table.defined_end();
    for (std::uint32_t i = table.defined_begin(); i < end; ++i) {
        const ElfW(Sym)& symbol = table.symbols[i];
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF && same(table.name(i), name))
            return reinterpret_cast<void*>(object.l_addr + symbol.st_value);
    }
    return nullptr;
}

const link_map* this_library() {
    const link_map* object = _r_debug.r_map;
    while (object != nullptr && object->l_ld != _DYNAMIC) object = object->l_next;
    return object;
}

} // namespace

const ElfW(Dyn) * dynamic_section(const dl_phdr_info& object) {
    for (int i = 0; i < object.dlpi_phnum; ++i)
        if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
            return reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    return nullptr;
}

void* function_of_this_library(const char* name) {
    const link_map* const own = this_library();
    return own != nullptr ? function_of(*own, name) : nullptr;
}

void* function_after_this_library(const char* name) {
    const link_map* object = this_library();
    if (object == nullptr) return nullptr;
    while ((object = object->l_next) != nullptr)
        if (void* const found = function_of(*object, name); found != nullptr) return found;
    return nullptr;
}

} // namespace tactus
