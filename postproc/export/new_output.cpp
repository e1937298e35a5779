#include "postproc/export/new_output.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus {
namespace {

Error refused(const std::string& path) {
    if (errno == EEXIST) return {.what = "exists already", .file = path, .advice = "name another one, or remove it"};
    return {.what = "cannot be made: " + std::string{std::strerror(errno)}, .file = path};
}

} // namespace

Result<NewOutput> NewOutput::folder(const std::string& path) {
    if (mkdir(path.c_str(), 0777) != 0) return refused(path);
    return NewOutput{path};
}

Result<NewOutput> NewOutput::file(const std::string& path) {
    const int made = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (made < 0) return refused(path);
    close(made);
    return NewOutput{path};
}

NewOutput::~NewOutput() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

} // namespace tactus
