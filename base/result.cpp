#include "base/result.hpp"

namespace tactus {

std::string Error::line() const {
    std::string text;
    if (!file.empty()) text += file + ": ";
    if (offset) text += "byte " + std::to_string(*offset) + ": ";
    text += what;
    if (!advice.empty()) text += " (" + advice + ")";
    return text;
}

} // namespace tactus
