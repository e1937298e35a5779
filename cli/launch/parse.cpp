// Finds the programs in a launcher's command line. It skips the options, by the tables of options.hpp, part by part.
#include "cli/launch/launcher.hpp"
#include "cli/launch/search.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace tactus {
namespace fs = std::filesystem;

namespace {

// What the options before a program tell about how it will be found and started.
struct Scope {
    Surroundings surroundings{};
    std::string path{};
};

bool all_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string own_path() {
    const char* const path = std::getenv("PATH");
    return path != nullptr ? path : "";
}

// Follows each `env` at the beginning of the part to the program that it runs.
void go_behind_env(ProgramPart& part, const Arguments& argv) {
    const std::size_t first = part.begin;
    while (const auto program = skip_env(argv, part.begin, part.end, part.surroundings)) part.begin = *program;
    if (part.begin == first) return;
    part.program = argv[part.begin];
    part.file = find_program(part.program, part.surroundings.value("PATH", own_path()), part.surroundings.directory);
}

std::string_view example_of(LauncherKind kind) { return kind == LauncherKind::srun ? "srun" : "mpirun"; }

class Parser {
  public:
    Parser(const Arguments& argv, Launcher launcher) : argv_{argv}, launcher_{std::move(launcher)} {}
    Result<CommandLine> parse();

  private:
    Outcome skip_options();
    Outcome skip_option();
    Outcome skip_long(std::string_view option);
    Outcome skip_letters(std::string_view letters);
    Outcome take(std::string_view option, Takes takes, std::optional<std::string_view> attached);
    [[nodiscard]] Takes guess() const;
    void apply(std::string_view option, const std::string& value, const std::string& second);
    [[nodiscard]] ProgramPart make_part() const;
    [[nodiscard]] bool at_end() const { return next_ >= argv_.size(); }
    [[nodiscard]] Error error(std::string what, std::string advice) const {
        return {.what = launcher_.name + ": " + std::move(what), .advice = std::move(advice)};
    }

    const Arguments& argv_;
    Launcher launcher_;
    std::size_t next_ = 1;
    Scope all_{};  // set by options for every part (Hydra's global options)
    Scope part_{}; // set by options for the current part
};

// An unknown option is assumed to have no value if the next word could be the program or another option.
Takes Parser::guess() const {
    if (at_end()) return Takes::nothing;
    const std::string& word = argv_[next_];
    const bool alone = word.starts_with("-") || word == ":" || !find_program(word).empty();
    return alone ? Takes::nothing : Takes::one;
}

void Parser::apply(std::string_view option, const std::string& value, const std::string& second) {
    const bool hydra = launcher_.kind == LauncherKind::hydra;
    const bool global = hydra && (option == "genv" || option == "genvnone" || option == "wdir");
    Scope& scope = global ? all_ : part_;
    if (option == "wdir" || option == "wd" || option == "chdir" || option == "D") scope.surroundings.directory = value;
    if (option == "path") scope.path = value;
    if (option == "genvnone" || option == "envnone") scope.surroundings.inherits = false;
    if (launcher_.kind == LauncherKind::openmpi && option == "x") scope.surroundings.set(value);
    if (hydra && (option == "genv" || option == "env"))
        scope.surroundings.set(value.find('=') == std::string::npos ? value + "=" + second : value);
    if (launcher_.kind != LauncherKind::srun || option != "export") return;
    const auto entries = split_list(value, ",");
    if (std::ranges::find(entries, "ALL") == entries.end()) scope.surroundings.inherits = false;
    for (const std::string& entry : entries) {
        if (entry != "ALL" && entry != "NONE") scope.surroundings.set(entry);
    }
}

// Skips and applies the values of one option; the word of the option itself has been skipped before.
Outcome Parser::take(std::string_view option, Takes takes, std::optional<std::string_view> attached) {
    const Obstacle obstacle = launcher_obstacle(launcher_.kind, option);
    if (!obstacle.why.empty())
        return error((option.size() > 1 ? "--" : "-") + std::string{option} + " " + std::string{obstacle.why},
                     std::string{obstacle.advice});
    if (takes == Takes::unknown) takes = attached ? Takes::optional : guess();
    std::size_t count = 0;
    if (takes == Takes::one) count = 1;
    if (takes == Takes::two || takes == Takes::name_value) count = 2;
    Arguments values;
    if (attached) values.emplace_back(*attached);
    while (values.size() < count) {
        if (at_end())
            return error("the option " + argv_.back() + " lacks its value",
                         "write the value, then the program: " + launcher_.name + " ... PROGRAM");
        values.push_back(argv_[next_++]);
        if (takes == Takes::name_value && values.front().find('=') != std::string::npos) break;
    }
    values.resize(2);
    apply(option, values[0], values[1]);
    return Done{};
}

Outcome Parser::skip_long(std::string_view option) {
    const auto equals = option.find('=');
    const std::string_view name = option.substr(0, equals);
    std::optional<std::string_view> attached;
    if (equals != std::string_view::npos) attached = option.substr(equals + 1);
    Takes takes = launcher_option(launcher_.kind, name);
    // PRRTE accepts -n4 and -N2.
    if (takes == Takes::unknown && launcher_option(launcher_.kind, name.substr(0, 1)) == Takes::one &&
        all_digits(name.substr(1)))
        takes = Takes::nothing;
    return take(name, takes, attached);
}

// Skips srun's short options. Several letters may follow one dash, and the last may have its value attached (-ln4,
// -n 4).
Outcome Parser::skip_letters(std::string_view letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::string_view letter = letters.substr(i, 1);
        const std::string_view rest = letters.substr(i + 1);
        const Takes takes = launcher_option(launcher_.kind, letter);
        const bool last = takes == Takes::one || takes == Takes::optional || rest.empty();
        if (!last) continue;
        std::optional<std::string_view> attached;
        if (!rest.empty()) attached = rest;
        return take(letter, takes, attached);
    }
    return Done{};
}

Outcome Parser::skip_option() {
    const std::string_view word = argv_[next_++];
    if (word.starts_with("--")) return skip_long(word.substr(2));
    return launcher_.kind == LauncherKind::srun ? skip_letters(word.substr(1)) : skip_long(word.substr(1));
}

Outcome Parser::skip_options() {
    while (!at_end() && argv_[next_].starts_with("-") && argv_[next_] != "-") {
        if (argv_[next_] == "--") {
            ++next_;
            break;
        }
        if (auto skipped = skip_option(); !skipped) return skipped;
    }
    if (at_end() || argv_[next_] == ":")
        return error("no program found behind the launcher's options",
                     "write it after them: tactus run " + std::string{example_of(launcher_.kind)} +
                         " -n 4 ./app; an option that tactus does not know takes its value as --option=value");
    return Done{};
}

ProgramPart Parser::make_part() const {
    const auto colon = std::find(argv_.begin() + static_cast<std::ptrdiff_t>(next_), argv_.end(), ":");
    ProgramPart part{.begin = next_,
                     .end = static_cast<std::size_t>(colon - argv_.begin()),
                     .program = argv_[next_],
                     .surroundings = all_.surroundings};
    part.surroundings.add(part_.surroundings);
    if (!part_.surroundings.directory.empty()) part.surroundings.directory = part_.surroundings.directory;
    const fs::path directory = part.surroundings.directory;
    const bool bare = part.program.find('/') == std::string::npos;
    const bool searches_here = launcher_.kind == LauncherKind::openmpi || launcher_.kind == LauncherKind::srun;
    part.file = find_program(part.program, part_.path.empty() ? own_path() : part_.path, directory);
    if (part.file.empty() && bare && searches_here) part.file = find_program("./" + part.program, {}, directory);
    if (part.file.empty() && !directory.empty()) part.file = find_program(part.program);
    // These launchers also find a bare name in the working directory or by --path, but `env` looks only in PATH.
    const bool only_they_find_it = bare && !part.file.empty() && find_program(part.program).empty();
    if (searches_here && (only_they_find_it || (bare && !part_.path.empty() && !part.file.empty())))
        part.program = fs::absolute(part.file).lexically_normal().string();
    go_behind_env(part, argv_);
    return part;
}

Result<CommandLine> Parser::parse() {
    CommandLine line{launcher_, {}};
    while (true) {
        part_ = {};
        if (auto skipped = skip_options(); !skipped) return skipped.error();
        line.parts.push_back(make_part());
        next_ = line.parts.back().end;
        if (at_end()) return line;
        ++next_;
    }
}

} // namespace

Result<CommandLine> parse_command_line(const Arguments& argv, std::optional<Mpi> forced) {
    auto launcher = recognize_launcher(argv.front(), forced);
    if (!launcher) return launcher.error();
    if (launcher->kind != LauncherKind::none) return Parser{argv, std::move(*launcher)}.parse();
    ProgramPart alone{.begin = 0, .end = argv.size(), .program = argv[0], .file = find_program(argv[0])};
    go_behind_env(alone, argv);
    return CommandLine{std::move(*launcher), {std::move(alone)}};
}

} // namespace tactus
