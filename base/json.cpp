#include "base/json.hpp"

#include "base/utf8.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace tactus {

// Bytes that are no character become U+FFFD, so that the text is JSON whatever a name holds.
void Json::quote(std::string_view value) {
    text_ += '"';
    while (!value.empty()) {
        const Character next = first_character(value);
        if (next.bytes == 0) {
            text_ += "\xef\xbf\xbd";
        } else if (next.code == '"' || next.code == '\\') {
            text_ += '\\';
            text_ += value[0];
        } else if (!is_harmless(next.code)) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(next.code));
            text_ += escape;
        } else {
            text_ += value.substr(0, next.bytes);
        }
        value.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
    }
    text_ += '"';
}

void Json::key(std::string_view name) {
    if (!first_) text_ += ',';
    first_ = false;
    if (!closing_.empty()) text_ += '\n' + std::string(2 * closing_.size(), ' ');
    if (name.empty()) return;
    quote(name);
    text_ += ": ";
}

Json& Json::start(std::string_view name, char opening, char closing) {
    key(name);
    text_ += opening;
    closing_ += closing;
    first_ = true;
    return *this;
}

Json& Json::close() {
    const char closing = closing_.back();
    closing_.pop_back();
    if (!first_) text_ += '\n' + std::string(2 * closing_.size(), ' ');
    text_ += closing;
    first_ = false;
    if (closing_.empty()) text_ += '\n';
    return *this;
}

Json& Json::field(std::string_view name, std::string_view value) {
    key(name);
    quote(value);
    return *this;
}

Json& Json::field(std::string_view name, double value) {
    key(name);
    char number[40];
    const auto [end, failed] =
        std::to_chars(number, number + sizeof number, value, std::chars_format::general, 9); // in no locale
    text_ += std::isfinite(value) && failed == std::errc{} ? std::string_view{number, end} : "null";
    return *this;
}

} // namespace tactus
