#include "base/json.hpp"

#include <cmath>
#include <cstdio>

namespace tactus {

void Json::quote(std::string_view value) {
    text_ += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\') {
            text_ += '\\';
            text_ += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            text_ += escape;
        } else {
            text_ += c;
        }
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
    std::snprintf(number, sizeof number, "%.9g", value);
    text_ += std::isfinite(value) ? number : "null";
    return *this;
}

} // namespace tactus
