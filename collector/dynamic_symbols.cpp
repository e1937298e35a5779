#include "collector/dynamic_symbols.hpp"

#include <cstddef>
#include <elf.h>

namespace tactus {

DynamicSymbols::DynamicSymbols(const ElfW(Dyn) * section, ElfW(Addr) base) : base_{base} {
    const ElfW(Rela)* data = nullptr;
    const ElfW(Rela)* functions = nullptr;
    std::size_t data_bytes = 0;
    std::size_t function_bytes = 0;
    for (; section != nullptr && section->d_tag != DT_NULL; ++section) {
        // The dynamic linker has added the base to the addresses, except where the section is read-only, as in the
        // vDSO.
        const ElfW(Addr) address = section->d_un.d_ptr < base ? base + section->d_un.d_ptr : section->d_un.d_ptr;
        if (section->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        if (section->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(address);
        if (section->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const std::uint32_t*>(address);
        if (section->d_tag == DT_RELA) data = reinterpret_cast<const ElfW(Rela)*>(address);
        if (section->d_tag == DT_RELASZ) data_bytes = section->d_un.d_val;
        if (section->d_tag == DT_JMPREL) functions = reinterpret_cast<const ElfW(Rela)*>(address);
        if (section->d_tag == DT_PLTRELSZ) function_bytes = section->d_un.d_val;
    }
    if (symbols == nullptr || strings == nullptr) {
        hash = nullptr;
        return;
    }
    if (data != nullptr) data_relocations = {data, data_bytes / sizeof *data};
    if (functions != nullptr) function_relocations = {functions, function_bytes / sizeof *functions};
}

namespace {

const link_map* this_library() {
    const link_map* object = _r_debug.r_map;
    while (object != nullptr && object->l_ld != _DYNAMIC) object = object->l_next;
    return object;
}

void* function_of(const link_map& object, const char* name) {
    return DynamicSymbols{object.l_ld, object.l_addr}.function(name);
}

} // namespace

bool is_same_name(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a == *b;
}

// DT_GNU_HASH begins with four words: how many buckets there are, the first symbol that is hashed, how many words of 64
// bits the filter has, and the filter's shift. Then come the filter, the buckets, and a word for each hashed symbol:
// its hash, of which the lowest bit says instead that its bucket ends there.
void* DynamicSymbols::find(const char* name, unsigned type) const {
    if (hash == nullptr || hash[0] == 0 || hash[2] == 0) return nullptr;
    std::uint32_t wanted = 5381;
    for (const char* letter = name; *letter != '\0'; ++letter)
        wanted = wanted * 33 + static_cast<unsigned char>(*letter);
    const std::uint32_t first_hashed = hash[1];
    const auto* const filter = reinterpret_cast<const std::uint64_t*>(hash + 4);
    const std::uint64_t bits = filter[wanted / 64 % hash[2]];
    if ((bits >> wanted % 64 & bits >> (wanted >> hash[3]) % 64 & 1) == 0) return nullptr;
    const std::uint32_t* const buckets = hash + 4 + 2 * std::size_t{hash[2]};
    const std::uint32_t* const hashes = buckets + hash[0];
    for (std::uint32_t i = buckets[wanted % hash[0]]; i >= first_hashed && i != 0; ++i) {
        const std::uint32_t found = hashes[i - first_hashed];
        const ElfW(Sym)& symbol = symbols[i];
        if ((found | 1) == (wanted | 1) && ELF64_ST_TYPE(symbol.st_info) == type && symbol.st_shndx != SHN_UNDEF &&
            is_same_name(this->name(i), name))
            return reinterpret_cast<void*>(base_ + symbol.st_value);
        if ((found & 1) != 0) break;
    }
    return nullptr;
}

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

void* function_after_this_library(const char* name, bool (*accept)(const char* name, const void* function)) {
    const link_map* object = this_library();
    if (object == nullptr) return nullptr;
    while ((object = object->l_next) != nullptr) {
        void* const found = function_of(*object, name);
        if (found != nullptr && (accept == nullptr || accept(name, found))) return found;
    }
    return nullptr;
}

bool is_defined_before_this_library(const char* name) {
    const link_map* const own = this_library();
    for (const link_map* object = _r_debug.r_map; object != own; object = object->l_next)
        if (function_of(*object, name) != nullptr) return true;
    return false;
}

} // namespace tactus
