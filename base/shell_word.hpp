// A word of a command that a message suggests, for example the path of a trace: what the user copies into a shell must
// be one word, and must not change the terminal.
#pragma once

#include <string>
#include <string_view>

namespace tactus {

// Returns the text as a shell reads it as one word: as it is, in single quotes, or as $'...' where it has control
// characters or bytes that are no characters. A text that begins with '-' becomes ./-..., so that it is no option.
[[nodiscard]] std::string shell_word(std::string_view text);

} // namespace tactus
