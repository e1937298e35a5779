#include "cli/terminal.hpp"

#include <cstdlib>
#include <sys/ioctl.h>

namespace tactus {

std::size_t terminal_width(int descriptor) {
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char* const columns = std::getenv("COLUMNS");
    const long width = columns != nullptr ? std::strtol(columns, nullptr, 10) : 0;
    return width > 0 ? static_cast<std::size_t>(width) : 0;
}

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    for (const char c : text)
        if ((c & 0xc0) != 0x80) ++columns;
    return columns;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string lines;
    std::string line;
    const auto end_line = [&] {
        if (!line.empty()) lines += std::string(indent, ' ') + line + '\n';
        line.clear();
    };
    while (!text.empty()) {
        const std::size_t end = text.find(' ');
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (word.empty()) continue;
        if (width > 0 && !line.empty() && indent + columns_of(line) + 1 + columns_of(word) > width) end_line();
        if (!line.empty()) line += ' ';
        line += word;
    }
    end_line();
    return lines;
}

} // namespace tactus
