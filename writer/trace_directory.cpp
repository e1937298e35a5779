#include "writer/trace_directory.hpp"

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

std::string read_small_file(const char* path) {
    char text[4096] = {};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    return size > 0 ? std::string{text} : std::string{}; // up to the first zero byte
}

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

} // namespace

TraceName trace_name(const Options& options) {
    constexpr std::string_view ending = ".tactus";
    TraceName name;
    name.program = options.text(Option::progname);
    if (name.program.empty()) name.program = safe_name(base_name(read_small_file("/proc/self/cmdline")));
    if (name.program.empty()) name.program = "mpi";
    std::string file = options.text(Option::logfile_name);
    if (file.empty()) file = safe_name(base_name(name.program)); // VT_PROGNAME is any text, too
    if (!file.ends_with(ending)) file += ending;
    const std::string& prefix = options.text(Option::logfile_prefix);
    name.path = absolute(file.starts_with('/') || prefix.empty() ? file : prefix + "/" + file);
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

std::string absolute(const std::string& path) {
    if (path.starts_with('/')) return path;
    char current[4096];
    return getcwd(current, sizeof current) != nullptr ? std::string{current} + "/" + path : path;
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
