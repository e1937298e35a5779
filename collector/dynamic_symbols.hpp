// Reads the symbol tables of mapped objects where they lie in memory, for questions that dlsym cannot answer. Nothing
// here calls another library or takes a lock: the runtime of a sanitizer asks for symbols before it is ready itself.
#pragma once

#include <cstdint>
#include <link.h>
#include <span>

namespace tactus {

// The dynamic symbols of an object, and the slots that the dynamic linker fills with addresses of symbols.
struct DynamicSymbols {
    const ElfW(Sym) * symbols = nullptr;
    const char* strings = nullptr;
    const std::uint32_t* hash = nullptr; // DT_GNU_HASH; nullptr when the object lacks any of the three
    std::span<const ElfW(Rela)> data_relocations;
    std::span<const ElfW(Rela)> function_relocations;

    // `section` is the object's dynamic section, nullptr when it has none. `base` is the address at which the object is
    // mapped.
    DynamicSymbols(const ElfW(Dyn) * section, ElfW(Addr) base);

    // Symbols [1, undefined_end()) are those that the object uses and does not define. 0: not known, because the object
    // has no hash, or because it defines no symbol and its hash is therefore empty.
    [[nodiscard]] std::uint32_t undefined_end() const { return hash == nullptr || hash[1] <= 1 ? 0 : hash[1]; }
    [[nodiscard]] const char* name(std::uint32_t symbol) const { return strings + symbols[symbol].st_name; }
    // The address of a function, or of data, that the object defines; nullptr when it does not.
    [[nodiscard]] void* function(const char* name) const { return find(name, STT_FUNC); }
    [[nodiscard]] void* data(const char* name) const { return find(name, STT_OBJECT); }

  private:
    [[nodiscard]] void* find(const char* name, unsigned type) const;

    ElfW(Addr) base_;
};

// An object's dynamic section; nullptr when it has none.
const ElfW(Dyn) * dynamic_section(const dl_phdr_info& object);

// The address of the function `name` that this library exports; nullptr when it exports none.
void* function_of_this_library(const char* name);
// The address of the function `name` in the first object that defines it, in the order in which they were loaded, of
// those after this library. nullptr when none does, or none that is accepted.
void* function_after_this_library(const char* name, bool (*accept)(const char* name, const void* function) = nullptr);
// Whether an object before this library, in that order, defines the function `name`.
bool is_defined_before_this_library(const char* name);

// strcmp, which the runtime of a sanitizer replaces.
bool is_same_name(const char* a, const char* b);

} // namespace tactus
