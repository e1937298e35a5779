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

void keep_error(std::vector<Error>& list, Error error) {
    constexpr std::size_t most = 1000;
    if (list.size() > most) return;
    list.push_back(std::move(error));
    if (list.size() == most)
        list.push_back(
            {.what = "there is more that is wrong than these; the rest is not listed", .file = list.back().file});
}

} // namespace tactus
