// Who may ask the local server: docs/viewer.md says why. Pure, but for the token's random bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tactus {

// 128 random bits in hexadecimal; nothing: the system has none.
std::optional<std::string> random_token();

struct Asking {
    std::string_view method;
    std::string_view path; // without parameters
    std::string_view host;
    std::optional<std::string_view> origin;     // none: it was not sent
    std::optional<std::string_view> fetch_site; // Sec-Fetch-Site
};

// 200, and in `rest` the path behind the token; else the status of the refusal.
int may_ask(const Asking& asking, std::string_view token, std::string_view& rest);

} // namespace tactus
