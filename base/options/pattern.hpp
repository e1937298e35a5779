// ITAC's patterns of names such as MPI:MPI_Send, in any case: '*' is any text without a colon, '**' any text, '?' one
// character, [abc] and [a-z] one of these, [!abc] none of these; '*', '?' and [!abc] never take a colon. Pure.
#pragma once

#include <string_view>

namespace tactus {

// Whether every '[' has its ']'.
bool well_formed(std::string_view pattern);

// Whether the pattern matches the whole name. A pattern that is not well formed matches nothing.
bool matches(std::string_view pattern, std::string_view name);

} // namespace tactus
