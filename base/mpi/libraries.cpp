#include "base/mpi/libraries.hpp"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string_view>

namespace tactus {

// The objects are opened only after the walk, which holds a lock of the dynamic linker.
std::vector<std::string> mapped_objects() {
    std::vector<std::string> paths;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
            if (info->dlpi_name[0] != '\0') static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
            return 0;
        },
        &paths);
    return paths;
}

bool has_prefix(const char* path, const char* name) {
    const char* slash = std::strrchr(path, '/');
    return std::string_view{slash == nullptr ? path : slash + 1}.starts_with(name);
}

void* find_in_libraries(std::span<const char* const> names, const char* symbol) {
    for (const std::string& path : mapped_objects()) {
        bool named = false;
        for (const char* name : names) named = named || has_prefix(path.c_str(), name);
        if (!named) continue;
        void* const library = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) continue;
        if (void* const found = dlsym(library, symbol); found != nullptr) return found;
        dlclose(library);
    }
    return nullptr;
}

} // namespace tactus
