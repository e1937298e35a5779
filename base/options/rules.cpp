#include "base/options/rules.hpp"

#include "base/counted_events.hpp"
#include "base/grammar.hpp"
#include "base/options/pattern.hpp"

#include <algorithm>
#include <optional>

namespace tactus {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string{text} + "'"; }

Error not_a(std::string_view text, const std::string& expected) { return Error{quoted(text) + " is not " + expected}; }

// Gives the parts without the blanks around them. Separators in double quotes separate nothing.
std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    bool in_quotes = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const bool end = i == text.size();
        if (!end && text[i] == '"') in_quotes = !in_quotes;
        if (!end && (in_quotes || separators.find(text[i]) == std::string_view::npos)) continue;
        parts.push_back(trimmed(text.substr(begin, i - begin)));
        begin = i + 1;
    }
    return parts;
}

std::vector<std::string_view> split_at_blanks(std::string_view text) {
    std::vector<std::string_view> all = split(text, " \t\r\n");
    std::erase(all, "");
    return all;
}

std::string_view without_quotes(std::string_view word) {
    if (word.size() >= 2 && word.front() == '"' && word.back() == '"') return word.substr(1, word.size() - 2);
    return word;
}

enum class Body { on, off, call_levels, folded };

// Parses LEVELS or SKIP:LEVELS.
std::optional<CallLevels> parse_levels(std::string_view text) {
    constexpr std::uint64_t most_levels = 15;
    const auto colon = text.find(':');
    const auto skip = parse_count(colon == std::string_view::npos ? "0" : text.substr(0, colon));
    const auto levels = parse_count(colon == std::string_view::npos ? text : text.substr(colon + 1));
    if (!skip || !levels || *skip > most_levels || *levels > most_levels) return {};
    return CallLevels{.skip = static_cast<std::uint32_t>(*skip), .count = static_cast<std::uint32_t>(*levels)};
}

// Parses on, off, or levels. No level means that no call place is kept, which is not off.
std::optional<Body> parse_body(std::string_view text) {
    if (const auto levels = parse_levels(text)) return *levels == only_the_call ? Body::on : Body::call_levels;
    if (equal_ignoring_case(text, "fold") || equal_ignoring_case(text, "unfold")) return Body::folded;
    const auto yes = parse_bool(text);
    if (!yes) return {};
    return *yes ? Body::on : Body::off;
}

std::optional<std::uint64_t> parse_rank(std::string_view text) {
    if (equal_ignoring_case(text, "N")) return last_rank;
    const auto rank = parse_count(text);
    if (!rank || *rank == last_rank) return {};
    return *rank;
}

// Parses FIRST, FIRST:LAST or FIRST:LAST:STEP.
std::optional<RankTriplet> parse_triplet(std::string_view text) {
    const auto parts = split(text, ":");
    if (parts.size() > 3) return {};
    const auto first = parse_rank(parts.front());
    const auto last = parse_rank(parts[parts.size() < 2 ? 0 : 1]);
    const auto step = parse_count(parts.size() < 3 ? "1" : parts[2]);
    if (!first || !last || !step || *first > *last || *step == 0) return {};
    return RankTriplet{*first, *last, *step};
}

std::optional<ProcessState> parse_process_state(std::string_view text) {
    for (const auto& [name, state] : {std::pair{"on", ProcessState::on},
                                      {"true", ProcessState::on},
                                      {"off", ProcessState::off},
                                      {"false", ProcessState::off},
                                      {"no", ProcessState::no},
                                      {"discard", ProcessState::discard}})
        if (equal_ignoring_case(text, name)) return state;
    return {};
}

} // namespace

std::string StateRule::text() const {
    const bool plain = pattern.find_first_of(" \t\r\n;#") == std::string::npos;
    return (plain ? pattern : '"' + pattern + '"') + (on ? " on" : " off");
}

std::vector<std::string_view> split_rules(std::string_view value) {
    std::vector<std::string_view> rules = split(value, ";\n");
    std::erase(rules, "");
    return rules;
}

namespace {

const char* example(OptionKind kind) {
    if (kind == OptionKind::symbol_rules) return "MPI_Send off";
    return kind == OptionKind::activity_rules ? "MPI off" : "MPI:MPI_Send off";
}

} // namespace

Result<StateRule> parse_state_rule(OptionKind kind, std::string_view rule) {
    const auto parts = split_at_blanks(rule);
    const auto body = parts.size() == 2 ? parse_body(parts[1]) : std::nullopt;
    const std::string_view pattern = parts.empty() ? "" : without_quotes(parts[0]);
    if (!body || pattern.empty() || pattern.find('"') != std::string_view::npos)
        return not_a(rule,
                     std::string{"a pattern (in quotes where it has blanks) and on or off, such as "} + example(kind));
    if (!well_formed(pattern)) return Error{quoted(rule) + " has a '[' without its ']'"};
    StateRule parsed{std::string{pattern}, *body != Body::off, {}};
    if (kind == OptionKind::symbol_rules) parsed.pattern = "**:" + parsed.pattern;
    if (kind == OptionKind::activity_rules) parsed.pattern += ":*";
    if (parsed.pattern.find(':') == std::string::npos && parsed.pattern.find("**") == std::string::npos)
        return Error{quoted(rule) + " names no class and so matches nothing: MPI:" + parsed.pattern + ", or VT_SYMBOL"};
    if (*body == Body::folded)
        parsed.remark = quoted(rule) + " asks to fold functions, which tactus does not do; taken as on";
    if (*body == Body::call_levels)
        parsed.remark = quoted(rule) + " asks for levels of the call stack, which tactus does not choose by function; "
                                       "taken as on";
    return parsed;
}

namespace {

// What a rule that switches on the counter of just this name asks for in vain.
std::string in_vain(std::string_view name) {
    const auto is = [&](std::string_view other) { return equal_ignoring_case(name, other); };
    constexpr std::string_view of_hosts[] = {"disk_io", "net_io", "cpu_idle", "cpu_sys", "cpu_usr"};
    if (std::ranges::any_of(of_hosts, is))
        return quoted(name) + " is a counter of a host, which tactus does not record; `tactus report` has the time of "
                              "each rank on a core, in the kernel and in functions for files";
    const bool known =
        std::ranges::any_of(counted_events, [&](const auto& event) { return is(event.name) || is(event.other_name); });
    if (known || name.find_first_of("*?[:") != std::string_view::npos) return {};
    return quoted(name) + " is none of the counters of the processor that tactus knows; taken as one that the program "
                          "defines";
}

} // namespace

Result<StateRule> parse_counter_rule(std::string_view rule) {
    if (const Outcome good = check_on_off_rule(rule); !good) return good.error();
    const auto parts = split_at_blanks(rule);
    StateRule parsed{std::string{without_quotes(parts[0])}, *parse_bool(parts[1]), {}};
    if (parsed.on) parsed.remark = in_vain(parsed.pattern);
    return parsed;
}

Result<ProcessRule> parse_process_rule(std::string_view rule) {
    ProcessRule parsed;
    rule = trimmed(rule);
    const auto all = split_at_blanks(rule);
    const auto state = all.empty() ? std::nullopt : parse_process_state(all.back());
    parsed.state = state.value_or(ProcessState::on);
    const std::string_view ranks_text = trimmed(rule.substr(0, rule.size() - (state ? all.back().size() : 0)));
    for (const auto ranks : split(state && ranks_text.empty() ? "0:N" : ranks_text, ",")) {
        const auto triplet = parse_triplet(ranks);
        if (!triplet)
            return not_a(rule, "a list of ranks FIRST:LAST:STEP (N: the last one) and on, off, no or discard, such as "
                               "0:N:2 off");
        parsed.ranks.push_back(*triplet);
    }
    if (parsed.state == ProcessState::discard)
        parsed.remark = quoted(rule) + " asks for statistics without records, which tactus does not have; taken as no";
    return parsed;
}

Outcome check_on_off_rule(std::string_view rule) {
    const auto parts = split_at_blanks(rule);
    const std::string_view pattern = parts.empty() ? "" : without_quotes(parts[0]);
    const bool good = parts.size() == 2 && !pattern.empty() && pattern.find('"') == std::string_view::npos &&
                      well_formed(pattern) && parse_bool(parts[1]);
    if (good) return Done{};
    return not_a(rule, "a pattern (in quotes where it has blanks) and on or off");
}

std::optional<CallLevels> call_levels(std::string_view value) {
    if (equal_ignoring_case(value, "all")) return all_levels;
    if (const auto levels = parse_levels(value)) return levels;
    const auto yes = parse_bool(value);
    if (!yes) return {};
    return *yes ? only_the_call : CallLevels{};
}

Result<std::vector<TimeWindow>> parse_time_windows(std::string_view value) {
    std::vector<TimeWindow> windows;
    if (trimmed(value).empty()) return windows;
    for (const auto part : split(value, ",")) {
        const auto colon = std::min(part.find(':'), part.size());
        const auto begin = parse_time(trimmed(part.substr(0, colon)));
        const auto end = parse_time(trimmed(part.substr(std::min(colon + 1, part.size()))));
        if (!begin || !end || *begin < 0 || *end <= *begin)
            return not_a(part,
                         "a window BEGIN:END of times since the start, the later one last, such as 0:1 or 7m:12m");
        windows.push_back({*begin, *end});
    }
    std::sort(windows.begin(), windows.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::vector<TimeWindow> merged;
    for (const TimeWindow& window : windows)
        if (merged.empty() || merged.back().end < window.begin)
            merged.push_back(window);
        else
            merged.back().end = std::max(merged.back().end, window.end);
    return merged;
}

Result<CheckedRule> check_rule(OptionKind kind, std::string_view rule) {
    if (kind == OptionKind::process_rules) {
        const auto process = parse_process_rule(rule);
        if (!process) return process.error();
        return CheckedRule{std::string{rule}, process->remark};
    }
    const auto state = kind == OptionKind::counter_rules ? parse_counter_rule(rule) : parse_state_rule(kind, rule);
    if (!state) return state.error();
    return CheckedRule{state->text(), state->remark};
}

} // namespace tactus
