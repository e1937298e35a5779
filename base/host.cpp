#include "base/host.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tactus {

std::string host_name() {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string boot_id() {
    // Not by a stream: the library in the application would need the locales of libstdc++, half a megabyte of code.
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    char text[64];
    const ssize_t size = read(file, text, sizeof text);
    close(file);
    const std::string id{text, size > 0 ? static_cast<std::size_t>(size) : 0};
    return id.substr(0, id.find('\n'));
}

} // namespace tactus
