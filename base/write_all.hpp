// Calls write(2) as often as needed to write all bytes. Any thread.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <unistd.h>

namespace tactus {

// False when not all bytes could be written; errno says why.
inline bool write_all(int file, const std::uint8_t* from, std::size_t size) {
    while (size > 0) {
        const ssize_t written = write(file, from, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        from += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

} // namespace tactus
