#include "cli/viewer/who_asks.hpp"

#include <array>
#include <cstdint>
#include <sys/random.h>

namespace tactus {
namespace {

// Removes the port from a host such as "localhost:8000" or "[::1]:8000"; the brackets stay.
std::string_view without_port(std::string_view host) {
    const std::size_t bracket = host.find(']');
    const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    return host.substr(0, colon);
}

bool is_loopback(std::string_view host) {
    const std::string_view name = without_port(host);
    return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

bool is_same_origin(std::string_view origin, std::string_view host) {
    constexpr std::string_view scheme = "http://";
    return origin.starts_with(scheme) && origin.substr(scheme.size()) == host;
}

// Compares in a time that does not depend on where the texts differ, so that nobody can guess the token step by step.
bool is_same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
    return different == 0;
}

} // namespace

std::optional<std::string> random_token() {
    std::array<std::uint8_t, 16> bytes{};
    if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
    std::string token;
    for (const std::uint8_t byte : bytes) {
        constexpr std::string_view digits = "0123456789abcdef";
        token += digits[byte >> 4];
        token += digits[byte & 15];
    }
    return token;
}

int may_ask(const Asking& asking, std::string_view token, std::string_view& rest) {
    constexpr int fine = 200;
    constexpr int forbidden = 403;
    constexpr int wrong_method = 405;
    if (!is_loopback(asking.host)) return forbidden;
    if (asking.origin && !is_same_origin(*asking.origin, asking.host)) return forbidden;
    if (asking.fetch_site && *asking.fetch_site == "cross-site") return forbidden;
    const std::size_t end = asking.path.find('/', 1);
    if (!asking.path.starts_with('/') || end == std::string_view::npos ||
        !is_same(asking.path.substr(1, end - 1), token))
        return forbidden;
    if (asking.method != "GET" && asking.method != "HEAD") return wrong_method;
    rest = asking.path.substr(end + 1);
    return fine;
}

} // namespace tactus
