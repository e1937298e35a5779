#include "base/log.hpp"

#include "base/write_signals.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace tactus {
namespace {
constexpr std::string_view prefix = "tactus: ";
constexpr std::size_t longest_line = 1024;
} // namespace

void say(std::string_view line) {
    char text[longest_line];
    std::memcpy(text, prefix.data(), prefix.size());
    const std::size_t size = std::min(line.size(), sizeof text - prefix.size() - 1);
    std::memcpy(text + prefix.size(), line.data(), size);
    text[prefix.size() + size] = '\n';
    const WriteSignalsBlocked quiet;
    // Nobody is left to tell when standard error itself is gone.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, prefix.size() + size + 1);
}

void sayf(const char* format, ...) {
    char text[longest_line];
    va_list arguments;
    va_start(arguments, format);
    const int size = std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size > 0) say({text, std::min(static_cast<std::size_t>(size), sizeof text - 1)});
}

} // namespace tactus
