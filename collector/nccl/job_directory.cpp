#include "collector/nccl/job_directory.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tactus::nccl {
namespace {

std::string mark_of(std::uint64_t job) {
    char name[32];
    std::snprintf(name, sizeof name, "/nccl-%016llx", static_cast<unsigned long long>(job));
    return name;
}

bool exists(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
}

// Makes a directory under a temporary name, with its mark in it. Empty when it cannot be made; errno says why.
std::string make_beside(const std::string& path, const std::string& mark) {
    std::string made = path + ".XXXXXX";
    if (mkdtemp(made.data()) == nullptr) return {};
    const int file = open((made + mark).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    const bool is_made = file >= 0 && chmod(made.c_str(), 0755) == 0;
    const int failed = errno;
    if (file >= 0) close(file);
    if (is_made) return made;
    unlink((made + mark).c_str());
    rmdir(made.c_str());
    errno = failed;
    return {};
}

} // namespace

std::uint64_t job_number(const std::string& run, std::uint64_t communicator) {
    if (run.empty() && communicator == 0) return random_number();
    const std::uint64_t job =
        run.empty() ? XXH3_64bits(&communicator, sizeof communicator) : XXH3_64bits(run.data(), run.size());
    return job != 0 ? job : 1;
}

Result<std::string> join_job_directory(const TraceName& name, std::uint64_t job) {
    constexpr int most_neighbors = 100'000;
    const std::string stem = name.path.substr(0, name.path.size() - std::strlen(".tactus"));
    const std::string mark = mark_of(job);
    make_parents(name.path);
    const std::string made = make_beside(name.path, mark);
    const auto failed = [&](int problem) {
        return Error{.what = "the trace cannot be created: " + std::string{strerror(problem)},
                     .file = name.path,
                     .advice = "name another place with VT_LOGFILE_PREFIX"};
    };
    if (made.empty()) return failed(errno);
    std::string joined;
    int problem = EEXIST;
    for (int number = 1; number < most_neighbors && joined.empty() && problem == EEXIST; ++number) {
        const std::string path = number == 1 ? name.path : stem + "-" + std::to_string(number) + ".tactus";
        if (exists(path + mark)) {
            joined = path;
        } else if (rename(made.c_str(), path.c_str()) == 0) { // fails if the target is not empty
            return path;
        } else if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) {
            problem = errno;
        } else if (exists(path + mark)) { // made by another process meanwhile
            joined = path;
        }
    }
    unlink((made + mark).c_str());
    rmdir(made.c_str());
    if (joined.empty()) return failed(problem);
    return joined;
}

} // namespace tactus::nccl
