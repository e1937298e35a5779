// The libraries mapped into this process, searched by name and by what they define. Not in the middle of a call.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tactus {

// Paths of all mapped objects but the program.
std::vector<std::string> mapped_objects();

// Whether the last part of the path begins with the name.
bool has_prefix(const char* path, const char* name);

// A symbol of the first mapped library that is called like one of `names` and has it; nullptr when there is none. Also
// of libraries that were opened with RTLD_LOCAL. The library stays open.
void* find_in_libraries(std::span<const char* const> names, const char* symbol);

} // namespace tactus
