// Questions of the page and answers to them (docs/viewer.md). Pure functions.
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

    // Returns the first parameter of that name, or nothing if there is none.
    [[nodiscard]] std::optional<std::string> text(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> all(const std::string& name) const;
    // Return an error if the parameter is not a number, is infinite, or is larger than `most`.
    [[nodiscard]] Result<std::optional<double>> number(const std::string& name) const;
    [[nodiscard]] Result<std::uint64_t> count(const std::string& name, std::uint64_t otherwise,
                                              std::uint64_t most) const;
};

struct Answer {
    int status = 200;
    std::string type = "application/json";
    std::string body;
};
// Returns an answer whose body is {"error": why}.
Answer refused(int status, const std::string& why);

} // namespace tactus
