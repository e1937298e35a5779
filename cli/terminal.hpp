// What is known of the terminal, and text that fits into it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tactus {

// The number of columns of the terminal behind a file descriptor. Where it is no terminal, that of COLUMNS; 0, which
// means any width, when there is none.
std::size_t terminal_width(int descriptor);

// How many columns a text in UTF-8 takes: one for each character.
std::size_t columns_of(std::string_view text);

// Breaks a text between words into lines of at most `width` columns (0: no limit), each with `indent` blanks before it.
// A longer word has a line of its own. Each line ends with a line break.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

} // namespace tactus
