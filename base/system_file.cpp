#include "base/system_file.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tactus {

std::string read_system_file(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    char text[4096];
    const ssize_t size = read(file, text, sizeof text);
    close(file);
    return {text, size > 0 ? static_cast<std::size_t>(size) : 0};
}

} // namespace tactus
