// Names in traces are bytes from a program. These functions tell which of them are characters, and which characters a
// terminal shows without doing anything else. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactus {

struct Character {
    char32_t code = 0;
    std::size_t bytes = 0; // 0: no character begins here
};
// The character at the front of `text` as UTF-8 (RFC 3629: shortest form, no surrogates).
Character first_character(std::string_view text);

// False for control characters, for characters that change the direction of writing, and for those that end a line.
bool is_harmless(char32_t code);

} // namespace tactus
