#include "base/input_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tactus {

InputFile::InputFile(const std::string& path) : descriptor_{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)} {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) return;
    regular_ = S_ISREG(status.st_mode);
    size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
    if (descriptor_ >= 0) close(descriptor_);
}

bool InputFile::read(void* to, std::size_t size, std::uint64_t offset) const {
    auto* at = static_cast<std::uint8_t*>(to);
    while (size > 0) {
        const ssize_t got = pread(descriptor_, at, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

} // namespace tactus
