// What the page asks, and what it is told: docs/viewer.md. Pure.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct Question {
    std::multimap<std::string, std::string> parameters;

    // The first of that name; nothing: it was not said.
    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> all(const std::string& name) const;
    // Numbers that are none are errors, also infinite ones.
    [[nodiscard]] Result<std::optional<double>> number(const std::string& name) const;
    [[nodiscard]] Result<std::uint64_t> count(const std::string& name, std::uint64_t otherwise,
                                              std::uint64_t most) const;
};

struct Answer {
    int status = 200;
    std::string type = "application/json";
    std::string body;
};
// {"error": why}
Answer refused(int status, const std::string& why);

} // namespace tactus
