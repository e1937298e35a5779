#include "base/host.hpp"

#include "base/system_file.hpp"

#include <unistd.h>

namespace tactus {

std::string host_name() {
    char name[256] = {};
    return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string boot_id() {
    const std::string id = read_system_file("/proc/sys/kernel/random/boot_id");
    return id.substr(0, id.find('\n'));
}

} // namespace tactus
