#include "base/system_file.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tactus {

std::string read_system_file(const std::string& path, std::size_t most) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    std::string text(most, '\0');
    std::size_t size = 0;
    while (size < most) { // the system gives some files page by page
        const ssize_t more = read(file, text.data() + size, most - size);
        if (more <= 0) break;
        size += static_cast<std::size_t>(more);
    }
    close(file);
    text.resize(size);
    return text;
}

} // namespace tactus
