#include "collector/entries.hpp"

#include "collector/dynamic_symbols.hpp"

#include <iterator>

namespace tactus {

bool begins_as_mpi(const char* name) {
    if (*name == 'P' || *name == 'p') ++name;
    return ((name[0] == 'M' && name[1] == 'P' && name[2] == 'I') ||
            (name[0] == 'm' && name[1] == 'p' && name[2] == 'i')) &&
           name[3] == '_';
}

// Without memory from malloc, which another library may have replaced by one that asks dlsym.
void* own_entry(const char* name) {
    char profiling[128];
    char* end = profiling;
    if (*name != 'P' && *name != 'p') *end++ = *name == 'm' ? 'p' : 'P';
    while (*name != '\0' && end + 1 < std::end(profiling)) *end++ = *name++;
    *end = '\0';
    return function_of_this_library(profiling);
}

} // namespace tactus
