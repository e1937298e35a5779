// Finds programs and shared libraries without running anything. Programs are searched in PATH. Libraries are searched
// in the order of ld.so(8): DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the default directories.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tactus {

// Returns a regular file that this user may execute, or an empty path. A name with a slash is relative to `directory`.
// Other names are searched in `path_list`, whose directories are separated by colons.
[[nodiscard]] std::filesystem::path find_program(std::string_view name, std::string_view path_list,
                                                 const std::filesystem::path& directory = {});
// Does the same with the PATH of this process.
[[nodiscard]] std::filesystem::path find_program(std::string_view name);

// Splits a list at any of the `separators`. An empty part becomes ".", the current directory.
[[nodiscard]] std::vector<std::string> split_list(std::string_view list, std::string_view separators);

// The names in a glibc-ld.so.cache1.1 file, each with its paths. The cache is empty if the file is missing, damaged or
// of another format. Then the default directories decide, as in ld.so itself.
class LibraryCache {
  public:
    LibraryCache() = default;
    [[nodiscard]] static LibraryCache parse(std::string_view bytes);
    [[nodiscard]] static LibraryCache read(const std::filesystem::path& file);
    [[nodiscard]] const std::vector<std::string>& paths(const std::string& soname) const;
    [[nodiscard]] bool empty() const { return paths_.empty(); }

  private:
    std::unordered_map<std::string, std::vector<std::string>> paths_;
};

// Everything outside of the ELF files that decides where a library is found.
struct LibraryPlaces {
    std::vector<std::string> library_path; // LD_LIBRARY_PATH
    LibraryCache cache;
    std::vector<std::string> defaults;

    // Reads what the dynamic linker of this machine uses.
    [[nodiscard]] static LibraryPlaces of_this_machine();
};

// Returns whether a program that asks for a library by this name, and has no directories of its own, finds one.
[[nodiscard]] bool can_load(const std::string& soname, const LibraryPlaces& places);

} // namespace tactus
