// Where programs and shared libraries are found, without running anything: PATH for programs; for libraries the order
// of ld.so(8): DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, the default directories.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tactus {

// A regular file that this user may execute; for a name with a slash relative to `directory`, else searched in
// `path_list` (colons between directories). Empty when there is none.
[[nodiscard]] std::filesystem::path find_program(std::string_view name, std::string_view path_list,
                                                 const std::filesystem::path& directory = {});
// The same with the PATH of this process.
[[nodiscard]] std::filesystem::path find_program(std::string_view name);

// The parts of a list with `separators` between them; an empty part stands for the current directory.
[[nodiscard]] std::vector<std::string> split_list(std::string_view list, std::string_view separators);

// The names in a glibc-ld.so.cache1.1 file, each with the paths it lists for it. A file that is missing, damaged or of
// another format gives an empty answer: the default directories then decide, as in ld.so itself.
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

// Everything outside the ELF files that decides where a library comes from.
struct LibraryPlaces {
    std::vector<std::string> library_path; // LD_LIBRARY_PATH
    LibraryCache cache;
    std::vector<std::string> defaults;

    // As the dynamic linker of this machine sees it.
    [[nodiscard]] static LibraryPlaces of_this_machine();
};

} // namespace tactus
