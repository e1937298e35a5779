// Decides who may ask the local server; docs/viewer.md says why. Pure functions, except for random_token().
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tactus {

// Returns 128 random bits in hexadecimal, or nothing if the system cannot provide them.
std::optional<std::string> random_token();

struct Asking {
    std::string_view method;
    std::string_view path; // without parameters
    std::string_view host;
    std::optional<std::string_view> origin;     // the header Origin, if it was sent
    std::optional<std::string_view> fetch_site; // the header Sec-Fetch-Site, if it was sent
};

// Returns 200 and sets `rest` to the path after the token, or returns the HTTP status of the refusal.
int may_ask(const Asking& asking, std::string_view token, std::string_view& rest);

} // namespace tactus
