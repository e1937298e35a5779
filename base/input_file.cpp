#include "base/input_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tactus {
namespace {

// O_NONBLOCK: opening a pipe must not block.
int open_for_reading(const std::string& path) { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

bool read_all(int descriptor, void* to, std::size_t size, std::uint64_t offset) {
    auto* at = static_cast<std::uint8_t*>(to);
    while (size > 0) {
        const ssize_t got = pread(descriptor, at, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

} // namespace

InputFile::InputFile(std::string path) : path_{std::move(path)}, descriptor_{open_for_reading(path_)} {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) return;
    good_ = true;
    regular_ = S_ISREG(status.st_mode);
    size_ = static_cast<std::uint64_t>(status.st_size);
}

void InputFile::set_aside() {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
}

bool InputFile::read(void* to, std::size_t size, std::uint64_t offset) const {
    if (descriptor_ >= 0) return read_all(descriptor_, to, size, offset);
    const int descriptor = open_for_reading(path_);
    if (descriptor < 0) return false;
    const bool good = read_all(descriptor, to, size, offset);
    close(descriptor);
    return good;
}

void InputFile::expect(std::uint64_t size, std::uint64_t offset) const {
    const int descriptor = descriptor_ >= 0 ? descriptor_ : open_for_reading(path_);
    if (descriptor < 0) return;
    posix_fadvise(descriptor, static_cast<off_t>(offset), static_cast<off_t>(size), POSIX_FADV_WILLNEED);
    if (descriptor != descriptor_) close(descriptor);
}

} // namespace tactus
