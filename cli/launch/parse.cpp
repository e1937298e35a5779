// Finds the programs in a launcher's command line. It skips the options, by the tables of options.hpp, part by part.
#include "cli/launch/launcher.hpp"
#include "cli/launch/programs_file.hpp"
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
    bool copies = false;
    bool file_of_programs = false;
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

// Whether a letter may have any word attached as its value, and not only a number.
bool attaches_words(LauncherKind kind) { return kind == LauncherKind::aprun || kind == LauncherKind::lrun; }

// For the advice of messages.
std::string example_of(const Launcher& launcher) {
    const bool mpirun = launcher.kind == LauncherKind::openmpi || launcher.kind == LauncherKind::hydra;
    if (launcher.kind == LauncherKind::mpirun_rsh) return "mpirun_rsh -np 4 -hostfile hosts ./app";
    if (launcher.kind == LauncherKind::lrun) return "lrun -n4 ./app";
    if (launcher.kind == LauncherKind::flux) return "flux run -n 4 ./app";
    return (mpirun ? "mpirun" : launcher.name) + " -n 4 ./app";
}

// The words of the launcher itself, or 0 when the line does not start programs: flux does it by `flux run` and `flux
// submit`, which were `flux mini run` before.
std::size_t words_of(LauncherKind kind, const Arguments& argv) {
    if (kind != LauncherKind::flux) return kind == LauncherKind::none ? 0 : 1;
    const std::size_t verb = argv.size() > 1 && argv[1] == "mini" ? 2 : 1;
    return argv.size() > verb && (argv[verb] == "run" || argv[verb] == "submit") ? verb + 1 : 0;
}

// Replaces what the variables were by the list of srun's --export. Entries may be quoted as a whole.
void set_exported(Surroundings& surroundings, const std::string& list) {
    surroundings.variables.clear();
    surroundings.inherits = false;
    for (std::size_t begin = 0; begin < list.size();) {
        const bool quoted = list[begin] == '\'' || list[begin] == '"';
        const std::size_t close = quoted ? list.find(list[begin], begin + 1) : begin;
        const std::size_t end = std::min(list.find(',', std::min(close, list.size())), list.size());
        const std::string entry =
            quoted && close < end ? list.substr(begin + 1, close - begin - 1) : list.substr(begin, end - begin);
        if (entry == "ALL")
            surroundings.inherits = true;
        else if (!entry.empty() && entry != "NONE" && entry != "NIL")
            surroundings.set(entry);
        begin = end + 1;
    }
}

class Parser {
  public:
    Parser(const Arguments& argv, Launcher launcher)
        : argv_{argv}, launcher_{std::move(launcher)}, next_{launcher_.words} {}
    Result<CommandLine> parse();

  private:
    Outcome skip_options();
    Outcome skip_option();
    void begin_part();
    void skip_hosts_and_variables();
    Outcome skip_name(std::string_view option, bool may_be_letter);
    Outcome skip_letters(std::string_view letters);
    Outcome take(std::string_view option, Takes takes, std::optional<std::string_view> attached);
    [[nodiscard]] Takes guess() const;
    void apply(std::string_view option, Takes takes, const std::string& value, const std::string& second);
    [[nodiscard]] Outcome hidden(std::string_view option) const;
    [[nodiscard]] ProgramPart start_of_part() const;
    [[nodiscard]] ProgramPart make_part() const;
    void add_programs_of_file(std::vector<ProgramPart>& parts) const;
    [[nodiscard]] bool at_end() const { return next_ >= argv_.size(); }
    [[nodiscard]] Error error(std::string what, std::string advice) const {
        return {.what = launcher_.name + ": " + std::move(what), .advice = std::move(advice)};
    }

    const Arguments& argv_;
    Launcher launcher_;
    std::size_t next_;
    std::size_t options_end_ = 0; // of the current part
    Scope all_{};                 // set by options for every part (Hydra's global options)
    Scope part_{};                // set by options for the current part
};

// An unknown option is assumed to have no value if the next word could be the program or another option.
Takes Parser::guess() const {
    if (at_end()) return Takes::nothing;
    const std::string& word = argv_[next_];
    const bool alone = word.starts_with("-") || word == ":" || !find_program(word).empty();
    return alone ? Takes::nothing : Takes::one;
}

// What srun does when no option says anything else stands in its environment.
void Parser::begin_part() {
    part_ = {.copies = copies_programs(launcher_.kind)};
    if (launcher_.kind != LauncherKind::srun) return;
    part_.copies = std::getenv("SLURM_BCAST") != nullptr;
    for (const char* const name : {"SLURM_EXPORT_ENV", "SRUN_EXPORT_ENV"}) { // The later one wins.
        if (const char* const list = std::getenv(name); list != nullptr) set_exported(part_.surroundings, list);
    }
}

void Parser::apply(std::string_view option, Takes takes, const std::string& value, const std::string& second) {
    const Meaning meaning = meaning_of(launcher_.kind, option);
    Scope& scope = meaning.everywhere ? all_ : part_;
    switch (meaning.means) {
    case Means::directory:
        scope.surroundings.directory = value;
        break;
    case Means::path:
        scope.path = value;
        break;
    case Means::variable:
        // Hydra's may be two words.
        scope.surroundings.set(takes == Takes::name_value && value.find('=') == std::string::npos ? value + "=" + second
                                                                                                  : value);
        break;
    case Means::no_variables:
        scope.surroundings.inherits = false;
        break;
    case Means::export_list:
        set_exported(scope.surroundings, value);
        break;
    case Means::copies:
    case Means::stays:
        scope.copies = meaning.means == Means::copies;
        break;
    case Means::file_of_programs:
        scope.file_of_programs = true;
        break;
    case Means::nothing:
    case Means::hides_programs:
        break;
    }
}

Outcome Parser::hidden(std::string_view option) const {
    return error((option.size() > 1 ? "--" : "-") + std::string{option} +
                     " names its programs in a file, where the library cannot be put in front of them",
                 "write the programs on the command line, with ':' between the parts");
}

// Skips and applies the values of one option; the word of the option itself has been skipped before.
Outcome Parser::take(std::string_view option, Takes takes, std::optional<std::string_view> attached) {
    if (meaning_of(launcher_.kind, option).means == Means::hides_programs) return hidden(option);
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
    apply(option, takes, values[0], values[1]);
    return Done{};
}

// Skips an option that is a name, or with one dash a letter, whose value may be attached.
Outcome Parser::skip_name(std::string_view option, bool may_be_letter) {
    const auto equals = option.find('=');
    const std::string_view name = option.substr(0, equals);
    std::optional<std::string_view> attached;
    if (equals != std::string_view::npos) attached = option.substr(equals + 1);
    const LauncherOption known = launcher_option(launcher_.kind, name);
    if (known.takes != Takes::unknown) return take(known.name, known.takes, attached);
    // PRRTE, aprun and lrun accept -n4 and -N2, the last two also -m700mhs.
    const std::string_view rest = option.substr(std::min<std::size_t>(1, option.size()));
    const bool is_value = all_digits(rest) || (attaches_words(launcher_.kind) && !rest.empty());
    if (may_be_letter && is_value && launcher_option(launcher_.kind, option.substr(0, 1)).takes == Takes::one)
        return take(option.substr(0, 1), Takes::one, rest);
    return take(name, known.takes, attached);
}

// Skips the short options of srun and others. Several letters may follow one dash, and the last may have its value
// attached (-ln4, -n 4).
Outcome Parser::skip_letters(std::string_view letters) {
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::string_view letter = letters.substr(i, 1);
        const std::string_view rest = letters.substr(i + 1);
        const Takes takes = launcher_option(launcher_.kind, letter).takes;
        const bool last = takes == Takes::one || takes == Takes::optional || rest.empty();
        if (!last) {
            apply(letter, takes, {}, {});
            continue;
        }
        std::optional<std::string_view> attached;
        if (!rest.empty()) attached = rest;
        return take(letter, takes, attached);
    }
    return Done{};
}

Outcome Parser::skip_option() {
    const std::string_view word = argv_[next_++];
    if (word.starts_with("--")) return skip_name(word.substr(2), false);
    return clusters_letters(launcher_.kind) ? skip_letters(word.substr(1)) : skip_name(word.substr(1), true);
}

// Between the options and the program mpirun_rsh has hosts, where no file names them, and then variables.
void Parser::skip_hosts_and_variables() {
    const auto is_program = [](const std::string& word) {
        return word.find('/') != std::string::npos || !find_program(word).empty() || !find_program("./" + word).empty();
    };
    while (next_ + 1 < argv_.size() && argv_[next_].find('=') == std::string::npos && !is_program(argv_[next_]))
        ++next_;
    for (; !at_end() && argv_[next_].find('=') != std::string::npos; ++next_) part_.surroundings.set(argv_[next_]);
}

Outcome Parser::skip_options() {
    options_end_ = next_;
    while (!at_end() && argv_[next_].starts_with("-") && argv_[next_] != "-") {
        options_end_ = next_;
        if (argv_[next_] == "--") {
            ++next_;
            break;
        }
        if (auto skipped = skip_option(); !skipped) return skipped;
        options_end_ = next_;
    }
    if (launcher_.kind == LauncherKind::mpirun_rsh) skip_hosts_and_variables();
    if (at_end() || argv_[next_] == ":")
        return error("no program found behind the launcher's options",
                     "write it after them: tactus run " + example_of(launcher_) +
                         "; an option that tactus does not know takes its value as --option=value");
    return Done{};
}

// Everything but the program.
ProgramPart Parser::start_of_part() const {
    const bool has_parts = launcher_.kind != LauncherKind::flux && launcher_.kind != LauncherKind::mpirun_rsh;
    const auto program = argv_.begin() + static_cast<std::ptrdiff_t>(next_);
    const auto colon = has_parts ? std::find(program, argv_.end(), ":") : argv_.end();
    ProgramPart part{.options_end = options_end_,
                     .begin = next_,
                     .end = static_cast<std::size_t>(colon - argv_.begin()),
                     .program = argv_[next_],
                     .surroundings = all_.surroundings};
    part.surroundings.add(part_.surroundings);
    if (!part_.surroundings.directory.empty()) part.surroundings.directory = part_.surroundings.directory;
    return part;
}

// A file that is not there or names no program is a part whose program is not known.
void Parser::add_programs_of_file(std::vector<ProgramPart>& parts) const {
    ProgramPart part = start_of_part();
    part.by_option = true;
    const std::vector<Arguments> programs = read_programs_file(part.program);
    for (const Arguments& words : programs) {
        Surroundings own = part.surroundings;
        std::size_t at = 0;
        while (const auto program = skip_env(words, at, words.size(), own)) at = *program;
        parts.push_back(part);
        parts.back().program = words[at];
        parts.back().file = find_program(words[at], own.value("PATH", own_path()), own.directory);
    }
    if (programs.empty()) parts.push_back(std::move(part));
}

ProgramPart Parser::make_part() const {
    ProgramPart part = start_of_part();
    const fs::path directory = part.surroundings.directory;
    const bool bare = part.program.find('/') == std::string::npos;
    const bool searches_here = launcher_.kind == LauncherKind::openmpi || launcher_.kind == LauncherKind::srun ||
                               launcher_.kind == LauncherKind::mpirun_rsh;
    part.file = find_program(part.program, part_.path.empty() ? own_path() : part_.path, directory);
    if (part.file.empty() && bare && searches_here) part.file = find_program("./" + part.program, {}, directory);
    if (part.file.empty() && !directory.empty()) part.file = find_program(part.program);
    // These launchers also find a bare name in the working directory or by --path, but `env` looks only in PATH.
    const bool only_they_find_it = bare && !part.file.empty() && find_program(part.program).empty();
    if (searches_here && !part_.copies && (only_they_find_it || (bare && !part_.path.empty() && !part.file.empty())))
        part.program = fs::absolute(part.file).lexically_normal().string();
    go_behind_env(part, argv_);
    part.by_option = part_.copies && part.begin == next_; // What is copied may be an `env` of the user's.
    return part;
}

Result<CommandLine> Parser::parse() {
    CommandLine line{launcher_, {}};
    while (true) {
        begin_part();
        if (auto skipped = skip_options(); !skipped) return skipped.error();
        if (part_.file_of_programs)
            add_programs_of_file(line.parts);
        else
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
    launcher->words = words_of(launcher->kind, argv);
    if (launcher->words > 0) return Parser{argv, std::move(*launcher)}.parse();
    *launcher = {.name = launcher->name, .words = 0};
    ProgramPart alone{.begin = 0, .end = argv.size(), .program = argv[0], .file = find_program(argv[0])};
    go_behind_env(alone, argv);
    return CommandLine{std::move(*launcher), {std::move(alone)}};
}

} // namespace tactus
