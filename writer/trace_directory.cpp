#include "writer/trace_directory.hpp"

#include "base/system_file.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace tactus {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// A program can overwrite its title with anything. What a terminal does not show becomes '_', and a title that is a
// sentence is cut, because the name of a folder has at most 255 bytes, of which numbers and endings need a few.
std::string safe_name(std::string_view title) {
    constexpr std::size_t most_bytes = 200;
    std::string name;
    while (!title.empty()) {
        const Character next = first_character(title);
        const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
        if (name.size() + bytes > most_bytes) break;
        name += next.bytes > 0 && is_harmless(next.code) ? title.substr(0, bytes) : "_";
        title.remove_prefix(bytes);
    }
    return name;
}

// The path as seen from `folder`, unless it is absolute or there is no folder.
std::string below(const std::string& folder, const std::string& path) {
    return path.starts_with('/') || folder.empty() ? path : folder + "/" + path;
}

} // namespace

TraceName trace_name(const Options& options) {
    constexpr std::string_view ending = ".tactus";
    TraceName name;
    name.program = options.text(Option::progname);
    const std::string words = read_system_file("/proc/self/cmdline"); // a zero byte ends each of them
    if (name.program.empty()) name.program = safe_name(base_name(words.substr(0, words.find('\0'))));
    if (name.program.empty()) name.program = "mpi";
    std::string file = options.text(Option::logfile_name);
    if (file.empty()) file = safe_name(base_name(name.program)); // VT_PROGNAME is any text, too
    if (!file.ends_with(ending)) file += ending;
    name.path = absolute(below(options.text(Option::logfile_prefix), file), options);
    return name;
}

Result<std::string> make_trace_directory(const TraceName& name, std::uint32_t ranks) {
    constexpr int most_neighbors = 100'000;
    const std::string stem = name.path.substr(0, name.path.size() - std::strlen(".tactus"));
    make_parents(name.path);
    for (int number = 1; number < most_neighbors; ++number) {
        const std::string path = number == 1 ? name.path : stem + "-" + std::to_string(number) + ".tactus";
        if (mkdir(path.c_str(), 0777) == 0) {
            for (std::uint32_t thousand = 0; thousand <= (ranks - 1) / 1000; ++thousand)
                make_parents(path + "/" + rank_file_name(thousand * 1000));
            return path;
        }
        if (errno != EEXIST)
            return Error{.what = "the trace cannot be created: " + std::string{strerror(errno)},
                         .file = path,
                         .advice = "name another place with VT_LOGFILE_PREFIX"};
    }
    return Error{.what = "the trace and all its numbered neighbors exist", .file = name.path, .advice = "remove some"};
}

void make_parents(const std::string& file) {
    for (std::size_t slash = file.find('/', 1); slash != std::string::npos; slash = file.find('/', slash + 1))
        mkdir(file.substr(0, slash).c_str(),
              0777); // a failure shows again, and is reported, when the file is made
}

std::string absolute(const std::string& path, const Options& options) {
    const std::string chosen = below(options.text(Option::current_dir), path);
    if (chosen.starts_with('/')) return chosen;
    char current[4096];
    return getcwd(current, sizeof current) != nullptr ? below(current, chosen) : chosen;
}

std::uint64_t random_number() {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number) || number == 0) {
        timespec time{};
        clock_gettime(CLOCK_REALTIME, &time);
        number = static_cast<std::uint64_t>(time.tv_sec) << 32 ^ static_cast<std::uint64_t>(time.tv_nsec) ^
                 static_cast<std::uint64_t>(getpid()) << 20;
    }
    return number;
}

} // namespace tactus
