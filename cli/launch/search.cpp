#include "cli/launch/search.hpp"

#include "processor.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace tactus {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view cache_magic = "glibc-ld.so.cache1.1";

struct CacheHeader {
    char magic[20];
    std::uint32_t entries;
    std::uint32_t string_bytes;
    std::uint8_t flags;
    std::uint8_t unused[3];
    std::uint32_t extension_offset;
    std::uint32_t reserved[3];
};
static_assert(sizeof(CacheHeader) == 48);

struct CacheEntry {
    std::int32_t flags;
    std::uint32_t name; // offset from the header
    std::uint32_t path; // offset from the header
    std::uint32_t os_version;
    std::uint64_t hardware;
};
static_assert(sizeof(CacheEntry) == 24);

std::string_view text_at(std::string_view bytes, std::uint32_t offset) {
    if (offset >= bytes.size()) return {};
    const auto end = bytes.find('\0', offset);
    return end == std::string_view::npos ? std::string_view{} : bytes.substr(offset, end - offset);
}

bool executable_file(const fs::path& file) {
    std::error_code ignored;
    return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

} // namespace

std::vector<std::string> split_list(std::string_view list, std::string_view separators) {
    std::vector<std::string> parts;
    if (list.empty()) return parts;
    for (std::size_t begin = 0; begin <= list.size();) {
        const auto end = std::min(list.find_first_of(separators, begin), list.size());
        parts.emplace_back(end == begin ? "." : list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

fs::path find_program(std::string_view name, std::string_view path_list, const fs::path& directory) {
    if (name.empty()) return {};
    if (name.find('/') != std::string_view::npos) {
        const fs::path file = directory / name; // An absolute name replaces the directory.
        return executable_file(file) ? file : fs::path{};
    }
    for (const std::string& folder : split_list(path_list, ":")) {
        fs::path file = directory / folder / name;
        if (executable_file(file)) return file;
    }
    return {};
}

fs::path find_program(std::string_view name) {
    const char* path_list = std::getenv("PATH");
    return find_program(name, path_list != nullptr ? path_list : "/bin:/usr/bin");
}

LibraryCache LibraryCache::parse(std::string_view bytes) {
    LibraryCache cache;
    const auto start = bytes.find(cache_magic); // Older glibc puts a table of the old format before it.
    if (start == std::string_view::npos) return cache;
    bytes.remove_prefix(start);
    CacheHeader header{};
    if (bytes.size() < sizeof header) return cache;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.entries > (bytes.size() - sizeof header) / sizeof(CacheEntry)) return cache;
    for (std::uint32_t i = 0; i < header.entries; ++i) {
        CacheEntry entry{};
        std::memcpy(&entry, bytes.data() + sizeof header + i * sizeof entry, sizeof entry);
        const std::string_view name = text_at(bytes, entry.name);
        const std::string_view path = text_at(bytes, entry.path);
        if (!name.empty() && !path.empty()) cache.paths_[std::string{name}].emplace_back(path);
    }
    return cache;
}

LibraryCache LibraryCache::read(const fs::path& file) {
    std::ifstream in{file, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    return parse(bytes);
}

const std::vector<std::string>& LibraryCache::paths(const std::string& soname) const {
    static const std::vector<std::string> nowhere;
    const auto found = paths_.find(soname);
    return found == paths_.end() ? nowhere : found->second;
}

bool can_load(const std::string& soname, const LibraryPlaces& places) {
    std::error_code ignored;
    if (!places.cache.paths(soname).empty()) return true;
    for (const auto* const folders : {&places.library_path, &places.defaults})
        for (const std::string& folder : *folders)
            if (fs::exists(fs::path{folder} / soname, ignored)) return true;
    return false;
}

LibraryPlaces LibraryPlaces::of_this_machine() {
    const char* list = std::getenv("LD_LIBRARY_PATH");
    const std::string multiarch = processor::multiarch;
    return {.library_path = split_list(list != nullptr ? list : "", ":;"),
            .cache = LibraryCache::read("/etc/ld.so.cache"),
            .defaults = {"/lib64", "/usr/lib64", "/lib/" + multiarch, "/usr/lib/" + multiarch, "/lib", "/usr/lib"}};
}

} // namespace tactus
