#include "cli/viewer/question.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tactus {

std::optional<std::string> Question::text(const std::string& name) const {
    const auto found = parameters.find(name);
    if (found == parameters.end()) return {};
    return found->second;
}

std::vector<std::string> Question::all(const std::string& name) const {
    std::vector<std::string> texts;
    const auto [begin, end] = parameters.equal_range(name);
    for (auto entry = begin; entry != end; ++entry) texts.push_back(entry->second);
    return texts;
}

Result<std::optional<double>> Question::number(const std::string& name) const {
    const auto said = text(name);
    if (!said) return std::optional<double>{};
    double value = 0;
    const auto [end, error] = std::from_chars(said->data(), said->data() + said->size(), value);
    if (error != std::errc{} || end != said->data() + said->size() || !std::isfinite(value))
        return Error{.what = name + "=" + *said + " is no number"};
    return std::optional{value};
}

Result<std::uint64_t> Question::count(const std::string& name, std::uint64_t otherwise, std::uint64_t most) const {
    const auto said = text(name);
    if (!said) return otherwise;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(said->data(), said->data() + said->size(), value);
    if (error != std::errc{} || end != said->data() + said->size() || value > most)
        return Error{.what = name + "=" + *said + " is no number from 0 to " + std::to_string(most)};
    return value;
}

Answer refused(int status, const std::string& why) {
    using Object = nlohmann::ordered_json;
    return {.status = status, .body = Object{{"error", why}}.dump(-1, ' ', true, Object::error_handler_t::replace)};
}

} // namespace tactus
