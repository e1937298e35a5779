// Small files by which the operating system tells something, such as those below /proc and /sys. Any thread.
#pragma once

#include <cstddef>
#include <string>

namespace tactus {

// Returns the first `most` bytes of a file, which is all of a small one; empty if it cannot be read. Not by a stream:
// the library in the application would need the locales of libstdc++, half a megabyte of code.
std::string read_system_file(const std::string& path, std::size_t most = 4096);

} // namespace tactus
