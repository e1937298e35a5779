// What `tactus run` reads before it starts anything: the ELF headers of a program, and the dynamic linker's cache.
#include "cli/launch/elf.hpp"
#include "cli/launch/search.hpp"
#include "input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)tactus::LibraryCache::parse({reinterpret_cast<const char*>(data), size});
    const MemoryFile input{data, size};
    (void)static_cast<bool>(tactus::read_dynamic_section(input.path()));
    return 0;
}
