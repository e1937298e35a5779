#include "base/shell_word.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tactus {

namespace {

// Not isalnum(), which asks the program's locale.
bool means_itself(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || std::string_view{"_@%+=:,./-"}.find(c) != std::string_view::npos;
}

bool shows_itself(std::string_view text) {
    while (!text.empty()) {
        const Character next = first_character(text);
        if (next.bytes == 0 || !is_harmless(next.code)) return false;
        text.remove_prefix(next.bytes);
    }
    return true;
}

std::string in_single_quotes(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

std::string in_dollar_quotes(std::string_view text) {
    std::string quoted = "$'";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= ' ' && byte < 0x7f && c != '\'' && c != '\\') {
            quoted += c;
            continue;
        }
        std::array<char, 5> escaped{}; // three octal digits, since further hexadecimal ones could follow
        std::snprintf(escaped.data(), escaped.size(), "\\%03o", byte);
        quoted += escaped.data();
    }
    return quoted + "'";
}

} // namespace

std::string shell_word(std::string_view text) {
    if (text.starts_with("-")) return shell_word("./" + std::string{text});
    if (!text.empty() && std::all_of(text.begin(), text.end(), means_itself)) return std::string{text};
    return shows_itself(text) ? in_single_quotes(text) : in_dollar_quotes(text);
}

} // namespace tactus
