#include "cli/launch/surroundings.hpp"

#include <filesystem>
#include <string_view>

namespace tactus {

namespace {

// One `env` while its words are read, by the help of GNU coreutils 9.1.
class EnvWords {
  public:
    EnvWords(const Arguments& argv, std::size_t first, std::size_t end) : argv_{argv}, next_{first}, end_{end} {}

    // Returns whether a program follows that this `env` runs.
    bool read() {
        while (has_word() && word().starts_with("-") && word() != "-") {
            const std::string option = argv_[next_++];
            if (option == "--") break;
            if (!(option.starts_with("--") ? long_option(option.substr(2)) : letters(option.substr(1)))) return false;
        }
        if (has_word() && word() == "-") {
            found_.inherits = false;
            ++next_;
        }
        for (; has_word() && word().find('=') != std::string_view::npos; ++next_) found_.set(argv_[next_]);
        return has_word();
    }
    [[nodiscard]] std::size_t program() const { return next_; }
    [[nodiscard]] const Surroundings& found() const { return found_; }

  private:
    [[nodiscard]] bool has_word() const { return next_ < end_; }
    [[nodiscard]] std::string_view word() const { return argv_[next_]; }

    bool apply(std::string_view option, std::optional<std::string> attached) {
        if (option == "i" || option == "ignore-environment") {
            found_.inherits = false;
            return true;
        }
        const bool unset = option == "u" || option == "unset";
        if (!unset && option != "C" && option != "chdir") return false;
        if (!attached) {
            if (!has_word()) return false;
            attached = argv_[next_++];
        }
        if (unset)
            found_.set(*attached + "=");
        else
            found_.directory = *attached;
        return true;
    }

    bool long_option(std::string_view option) {
        const auto equals = option.find('=');
        const std::string_view name = option.substr(0, equals);
        if (name == "debug" || name == "list-signal-handling" || name.ends_with("-signal")) return true;
        if (equals == std::string_view::npos) return apply(name, std::nullopt);
        return apply(name, std::string{option.substr(equals + 1)});
    }

    // Several letters may follow one dash, and what follows the last of them is its value.
    bool letters(std::string_view letters) {
        for (std::size_t i = 0; i < letters.size(); ++i) {
            const std::string_view letter = letters.substr(i, 1);
            if (letter == "v") continue;
            if (letter == "i") {
                found_.inherits = false;
                continue;
            }
            if (i + 1 == letters.size()) return apply(letter, std::nullopt);
            return apply(letter, std::string{letters.substr(i + 1)});
        }
        return true;
    }

    const Arguments& argv_;
    std::size_t next_;
    std::size_t end_;
    Surroundings found_{};
};

} // namespace

void Surroundings::set(const std::string& entry) {
    const auto equals = entry.find('=');
    std::optional<std::string> value;
    if (equals != std::string::npos) value = entry.substr(equals + 1);
    variables[entry.substr(0, equals)] = std::move(value);
}

void Surroundings::add(const Surroundings& later) {
    if (!later.inherits) {
        inherits = false;
        variables.clear();
    }
    for (const auto& [name, value] : later.variables) variables[name] = value;
    if (later.directory.empty()) return;
    directory = (std::filesystem::path{directory} / later.directory).string();
}

std::string Surroundings::value(const std::string& name, const std::string& inherited) const {
    const auto found = variables.find(name);
    if (found == variables.end()) return inherits ? inherited : std::string{};
    return found->second.value_or(inherited);
}

std::optional<std::size_t> skip_env(const Arguments& argv, std::size_t at, std::size_t end,
                                    Surroundings& surroundings) {
    if (at >= end || std::filesystem::path{argv[at]}.filename() != "env") return std::nullopt;
    EnvWords words{argv, at + 1, end};
    if (!words.read()) return std::nullopt;
    surroundings.add(words.found());
    return words.program();
}

} // namespace tactus
