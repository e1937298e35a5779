// Searches the libraries mapped into this process by name and by the symbols that they define. This takes locks of the
// dynamic linker and allocates memory, so it is not for the middle of a call.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tactus {

// Paths of all mapped objects but the program.
std::vector<std::string> mapped_objects();

// Whether the last part of the path begins with the name.
bool has_prefix(const char* path, const char* name);

// Finds the symbol in the first mapped library whose file name begins with one of `names` and which defines it; nullptr
// when there is none. Libraries that were opened with RTLD_LOCAL are searched, too. The library stays open.
void* find_in_libraries(std::span<const char* const> names, const char* symbol);

} // namespace tactus
