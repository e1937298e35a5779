#include "cli/command_line_messages.hpp"

#include "base/nearest.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace tactus {
namespace {

// "; did you mean report?", or nothing.
std::string meant(const std::string& word, const std::vector<std::string>& words) {
    const std::string_view near = nearest(word, {words.begin(), words.end()});
    return near.empty() ? "" : fmt::format("; did you mean {}?", near);
}

std::vector<std::string> options_of(const std::vector<CLI::App*>& commands) {
    std::vector<std::string> names;
    for (const CLI::App* command : commands)
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

// CLI11 speaks of types where somebody forgot a value or wrote a wrong one.
std::string in_plain_words(const CLI::ParseError& error) {
    const std::string text = error.what();
    const std::size_t colon = text.find(": ");
    const std::size_t equals = text.find(" = ");
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) && colon != std::string::npos &&
        text.ends_with("missing"))
        return text.substr(0, colon) + " needs a value";
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ConversionError) && equals != std::string::npos &&
        colon < equals)
        return fmt::format("'{}' is no value for {}", text.substr(equals + 3),
                           text.substr(colon + 2, equals - colon - 2));
    return text;
}

std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
    std::vector<std::string> unknown = app.remaining(true);
    const bool extras = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    if (extras && unknown.empty()) { // found inside a subcommand, and named at the end
        const std::string text = error.what();
        unknown.push_back(text.substr(std::min(text.rfind(": "), text.size() - 2) + 2));
    }
    if (extras && (!app.get_subcommands().empty() || unknown.front().starts_with('-')))
        return fmt::format("unknown option or argument '{}'{}", unknown.front(),
                           meant(unknown.front(), options_of(app.get_subcommands())));
    if (!app.get_subcommands().empty()) return in_plain_words(error);
    if (unknown.empty()) return "a command is missing";
    std::vector<std::string> commands;
    for (const CLI::App* sub : app.get_subcommands({})) commands.push_back(sub->get_name());
    return fmt::format("unknown command '{}'{}", unknown.front(), meant(unknown.front(), commands));
}

} // namespace

int explain(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
        app.exit(error); // prints the text of --help or --version
        return flush_output(exit_code::fine);
    }
    std::string subcommand;
    for (const CLI::App* sub : app.get_subcommands()) subcommand = ' ' + sub->get_name();
    return misused(fmt::format("{} (see tactus{} --help)", what_is_wrong(app, error), subcommand));
}

std::string PlainFormatter::make_option_opts(const CLI::Option* option) const {
    if (option->get_items_expected_max() == 0 || option->get_positional()) return "";
    const std::string type = option->get_type_name();
    const std::size_t choices = type.find('{');
    return " " + (choices == std::string::npos ? "VALUE" : type.substr(choices));
}

} // namespace tactus
