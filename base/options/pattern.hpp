// ITAC's patterns of names such as MPI:MPI_Send, in any case: '*' is any text without a colon, '**' any text, '?' one
// character, [abc] and [a-z] one of these, [!abc] none of these; '*', '?' and [!abc] never take a colon. Pure.
#pragma once

#include <string_view>

namespace tactus {

// Every '[' has its ']'.
bool well_formed(std::string_view pattern);

// The whole name; nothing matches a pattern that is not well formed.
bool matches(std::string_view pattern, std::string_view name);

} // namespace tactus
