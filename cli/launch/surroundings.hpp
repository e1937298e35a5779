// What a program starts with: the variables and the folder that the launcher's options, and each `env` before the
// program, give it. Nothing is executed here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

using Arguments = std::vector<std::string>;

struct Surroundings {
    std::map<std::string, std::optional<std::string>> variables{}; // no value: the inherited one is passed on
    bool inherits = true;                                          // false: without all other variables (env -i)
    std::string directory{};                                       // empty: where the launcher runs

    // Takes NAME=VALUE, or NAME for a variable that is passed on.
    void set(const std::string& entry);
    // Adds what comes later and therefore wins.
    void add(const Surroundings& later);
    // Returns the value that the program sees, or an empty text where the variable is not set.
    [[nodiscard]] std::string value(const std::string& name, const std::string& inherited) const;
};

// For an `env` at argv[at] in a command that ends before argv[end]: returns the index of the program that it runs, and
// adds to `surroundings` what it does. Returns no value, and adds nothing, if the word is no `env`, or if this `env`
// runs no program or has an option that hides the program (-S).
[[nodiscard]] std::optional<std::size_t> skip_env(const Arguments& argv, std::size_t at, std::size_t end,
                                                  Surroundings& surroundings);

} // namespace tactus
