#include "base/options/options.hpp"

#include "base/grammar.hpp"
#include "base/nearest.hpp"
#include "base/options/clock_error.hpp"
#include "base/options/rules.hpp"
#include "base/signal_name.hpp"
#include "base/ticks.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>

namespace tactus {
namespace {

std::string suggestion(std::string_view name) {
    std::vector<std::string_view> names;
    for (const OptionRow& row : option_table) names.push_back(row.name);
    const std::string_view near = nearest(name, names);
    return near.empty() ? "; `tactus options` lists those there are" : "; did you mean VT_" + std::string{near} + "?";
}

std::string normalized(std::string_view name) {
    std::string plain{name};
    for (char& c : plain) c = c == '-' ? '_' : upper(c);
    return plain;
}

// The option that keeps the rules of this kind; nothing for kinds with one value.
std::optional<Option> keeper_of_rules(OptionKind kind) {
    switch (kind) {
    case OptionKind::state_rules:
    case OptionKind::symbol_rules:
    case OptionKind::activity_rules:
        return Option::state;
    case OptionKind::process_rules:
        return Option::process;
    case OptionKind::counter_rules:
        return Option::counter;
    default:
        return {};
    }
}

// Splits a line of the form NAME VALUE. The value may be in double quotes; '#' outside quotes begins a comment.
std::pair<std::string_view, std::string_view> split_line(std::string_view line) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] == '#' && !quoted) line = line.substr(0, i);
    }
    line = trimmed(line);
    const auto gap = line.find_first_of(" \t");
    if (gap == std::string_view::npos) return {line, {}};
    std::string_view value = trimmed(line.substr(gap));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    return {line.substr(0, gap), value};
}

std::optional<Timer> timer_named(std::string_view name) {
    for (const char* const intel : {"CPU", "CPU_Norm"})
        if (equal_ignoring_case(name, intel)) return processor::counter;
    for (std::size_t i = 0; i < timer_names.size(); ++i)
        if (equal_ignoring_case(name, timer_names[i]) && is_here(Timer{static_cast<std::uint8_t>(i)}))
            return static_cast<Timer>(i);
    return {};
}

std::optional<Fit> fit_named(std::string_view name) {
    for (const Fit fit : {Fit::interval, Fit::itac})
        if (equal_ignoring_case(name, fit_names[static_cast<std::size_t>(fit)])) return fit;
    return {};
}

std::optional<Topology> topology_named(std::string_view name) {
    if (equal_ignoring_case(name, "auto")) return Topology::automatic;
    if (equal_ignoring_case(name, "star")) return Topology::star;
    if (equal_ignoring_case(name, "tree")) return Topology::tree;
    return {};
}

std::optional<Piggyback> piggyback_named(std::string_view name) {
    if (equal_ignoring_case(name, "struct")) return Piggyback::structs;
    if (equal_ignoring_case(name, "message")) return Piggyback::message;
    if (equal_ignoring_case(name, "packed")) return Piggyback::packed;
    const auto yes = parse_bool(name);
    if (!yes) return {};
    return *yes ? Piggyback::on : Piggyback::off;
}

// Gives bits of nccl_events for a list of names; nothing when one is unknown.
std::optional<unsigned> nccl_events_named(std::string_view names) {
    constexpr auto known = std::to_array<std::pair<std::string_view, unsigned>>({{"api", nccl_events::api},
                                                                                 {"coll", nccl_events::coll},
                                                                                 {"p2p", nccl_events::p2p},
                                                                                 {"kernel", nccl_events::kernel},
                                                                                 {"proxy", nccl_events::proxy},
                                                                                 {"net", nccl_events::net},
                                                                                 {"all", 63}});
    unsigned bits = 0;
    while (true) {
        const std::size_t comma = std::min(names.find(','), names.size());
        const auto same = [&](const auto& kind) { return equal_ignoring_case(names.substr(0, comma), kind.first); };
        const auto found = std::find_if(known.begin(), known.end(), same);
        if (found == known.end()) return {};
        bits |= found->second;
        if (comma == names.size()) return bits;
        names.remove_prefix(comma + 1);
    }
}

// Takes a number above 0 and up to 1.
std::optional<double> share_of(std::string_view value) {
    double share = 0;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), share);
    if (failed != std::errc{} || end != value.data() + value.size() || !(share > 0 && share <= 1)) return {};
    return share;
}

// Gives 0 for off, which Intel's collector spelled as a time below zero.
std::optional<std::int64_t> period_ns(std::string_view value) {
    if (equal_ignoring_case(value, "off") || (value.starts_with('-') && parse_time(value.substr(1)))) return 0;
    const auto time = parse_time(value);
    if (!time) return {};
    return *time;
}

// Gives 0 for off.
std::optional<std::uint64_t> samples_a_second(std::string_view value) {
    constexpr std::uint64_t most = 200; // the rings have room for those of 75 ms
    if (equal_ignoring_case(value, "off")) return 0;
    const auto count = parse_count(value);
    if (!count || *count == 0 || *count > most) return {};
    return *count;
}

// Kinds whose values are keywords, or keywords and something else.
struct WordKind {
    OptionKind kind;
    bool (*is_valid)(std::string_view value);
    const char* valid; // the valid values, for an error
};
constexpr WordKind word_kinds[] = {
    {OptionKind::timer, [](std::string_view value) { return equal_ignoring_case(value, "LIST") || timer_named(value); },
     "CPU, CPU_Norm, TSC (of x86-64), CNTVCT (of aarch64), CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, gettimeofday, "
     "MPI_Wtime or LIST"},
    {OptionKind::fit, [](std::string_view value) { return fit_named(value).has_value(); }, "interval or itac"},
    {OptionKind::topology, [](std::string_view value) { return topology_named(value).has_value(); },
     "auto, star or tree"},
    {OptionKind::synced_host,
     [](std::string_view value) { return equal_ignoring_case(value, "auto") || parse_bool(value); }, "auto, on or off"},
    {OptionKind::period, [](std::string_view value) { return period_ns(value).has_value(); },
     "off or a time such as 1m+30s"},
    {OptionKind::sampling, [](std::string_view value) { return samples_a_second(value).has_value(); },
     "off or a number from 1 to 200"},
    {OptionKind::call_levels, [](std::string_view value) { return call_levels(value).has_value(); },
     "all, on, off, or how many levels of the call stack: LEVELS or SKIP:LEVELS, up to 15"},
    {OptionKind::piggyback, [](std::string_view value) { return piggyback_named(value).has_value(); },
     "on, off, struct, packed or message"},
    {OptionKind::nccl_events, [](std::string_view value) { return nccl_events_named(value).has_value(); },
     "a list of api, coll, p2p, kernel, proxy, net, or all"},
    {OptionKind::signal, [](std::string_view value) { return signal_number(value) >= 0; },
     "off, USR1, USR2, HUP, ALRM, IO, PWR, URG or WINCH"},
    {OptionKind::eclc, [](std::string_view value) { return value == "2007" || parse_bool(value); }, "on, off or 2007"},
    {OptionKind::gamma,
     [](std::string_view value) {
         return equal_ignoring_case(value, "auto") || equal_ignoring_case(value, "iterate") || share_of(value);
     },
     "auto, iterate or a number above 0, up to 1"},
    {OptionKind::spacing,
     [](std::string_view value) { return equal_ignoring_case(value, "tick") || parse_time(value); },
     "tick or a time such as 1ns"},
    {OptionKind::least,
     [](std::string_view value) { return equal_ignoring_case(value, "measured") || parse_time(value); },
     "measured or a time such as 1us"},
    {OptionKind::slope, [](std::string_view value) { return share_of(value).has_value(); },
     "a number above 0, up to 1"},
    {OptionKind::verbosity,
     [](std::string_view value) {
         const auto level = parse_count(value);
         return parse_bool(value) || (level && *level <= 4);
     },
     "on, off, or a level from 0 to 4"},
};

Outcome check_duration(std::string_view value) {
    const auto time = parse_time(value);
    if (!time) return time.error();
    if (*time <= 0) return Error{"'" + std::string{value} + "' is not a time above zero, such as 1m+30s"};
    return Done{};
}

Outcome check_rules(OptionKind kind, std::string_view value) {
    for (const auto rule : split_rules(value))
        if (auto checked = check_rule(kind, rule); !checked) return checked.error();
    return Done{};
}

Outcome check_word(OptionKind kind, std::string_view value) {
    for (const WordKind& row : word_kinds)
        if (row.kind == kind && !row.is_valid(value)) return Error{"'" + std::string{value} + "' is not " + row.valid};
    return Done{};
}

} // namespace

Outcome check_option(OptionKind kind, std::string_view value) {
    const auto outcome = [](auto&& result) -> Outcome {
        if (result) return Done{};
        return result.error();
    };
    switch (kind) {
    case OptionKind::boolean:
        return outcome(parse_bool(value));
    case OptionKind::bytes:
        return outcome(parse_bytes(value));
    case OptionKind::time:
        return outcome(parse_time(value));
    case OptionKind::duration:
        return check_duration(value);
    case OptionKind::count:
        return outcome(parse_count(value));
    case OptionKind::test_clock:
        return outcome(clock_error_of(value, 0));
    case OptionKind::state_rules:
    case OptionKind::symbol_rules:
    case OptionKind::activity_rules:
    case OptionKind::process_rules:
    case OptionKind::counter_rules:
        return check_rules(kind, value);
    case OptionKind::time_windows:
        return outcome(parse_time_windows(value));
    default: // text is always valid
        return check_word(kind, value);
    }
}

void Options::set(std::string_view name, std::string_view value, const std::string& origin) {
    const std::string plain = normalized(name);
    for (std::size_t i = 0; i < option_table.size(); ++i) {
        if (option_table[i].name != plain) continue;
        if (keeper_of_rules(option_table[i].kind))
            add_rules(i, value, origin);
        else if (option_table[i].kind == OptionKind::text && value.empty() && origin.starts_with("file "))
            complaints_.push_back("VT_" + plain + " from the " + origin + " has no value; ignored");
        else if (auto valid = check_option(option_table[i].kind, value); !valid)
            complaints_.push_back(
                "VT_" + plain + " from the " + origin + ": " + valid.error().what + "; using " +
                (option_table[i].initial.empty() ? "the default" : std::string{option_table[i].initial}));
        else
            values_[i] = {plain, std::string{value}, origin};
        return;
    }
    if (const IntelOption* const intel = intel_option(plain); intel != nullptr) return set_intel(*intel, value, origin);
    complaints_.push_back("VT_" + plain + " from the " + origin + " is not an option of tactus" + suggestion(plain));
}

void Options::set_intel(const IntelOption& option, std::string_view value, const std::string& origin) {
    if (option.answer == IntelAnswer::environment || equal_ignoring_case(value, option.initial)) return;
    if (option.answer == IntelAnswer::later) {
        if (const Outcome valid = check_intel_value(option.value, value); !valid)
            return complaints_.push_back("VT_" + std::string{option.name} + " from the " + origin + ": " +
                                         valid.error().what + "; ignored");
        keep_for_later(option, value, origin);
    }
    const std::string_view words = option.answer == IntelAnswer::not_needed ? "" : option.words;
    const auto same = [&](const auto& answer) { return answer.first == words; };
    auto answer = std::find_if(answered_.begin(), answered_.end(), same);
    if (answer == answered_.end()) answer = answered_.insert(answer, {words, ""});
    const std::string name = "VT_" + std::string{option.name};
    if ((answer->second + ",").find(name + ",") != std::string::npos) return;
    answer->second += (answer->second.empty() ? "" : ", ") + name;
}

// Options with rules may be given several times.
void Options::keep_for_later(const IntelOption& option, std::string_view value, const std::string& origin) {
    for (OptionValue& kept : later_) {
        if (kept.name != option.name) continue;
        const bool rules = option.value == IntelValue::rules;
        kept.value = (rules ? kept.value + "; " : std::string{}) + std::string{value};
        kept.origin = origin;
        return;
    }
    later_.push_back({std::string{option.name}, std::string{value}, origin});
}

// One line for all options with the same answer.
void Options::answer_intel_options() {
    for (const auto& [words, names] : answered_) {
        const bool several = names.find(',') != std::string::npos;
        const std::string_view not_needed = several ? "tactus needs none of these" : "tactus needs no such option";
        complaints_.push_back(names + ": " + std::string{words.empty() ? not_needed : words});
    }
}

std::vector<OptionValue> Options::all() const {
    std::vector<OptionValue> all = values_;
    all.insert(all.end(), later_.begin(), later_.end());
    return all;
}

void Options::add_rules(std::size_t row, std::string_view rules, const std::string& origin) {
    const OptionKind kind = option_table[row].kind;
    OptionValue& kept = values_[static_cast<std::size_t>(*keeper_of_rules(kind))];
    const std::string where = "VT_" + std::string{option_table[row].name} + " from the " + origin + ": ";
    for (const auto rule : split_rules(rules)) {
        const auto checked = check_rule(kind, rule);
        if (!checked) {
            complaints_.push_back(where + checked.error().what + "; rule ignored");
            continue;
        }
        if (!checked->remark.empty()) complaints_.push_back(where + checked->remark);
        if (kept.origin == "default") {
            kept.value = checked->text;
            kept.origin = origin;
            continue;
        }
        kept.value += "; " + checked->text;
        if (!kept.origin.ends_with(origin)) kept.origin += ", " + origin;
    }
}

void Options::read_file(const std::string& path) {
    std::FILE* file = std::fopen(path.c_str(), "re");
    if (file == nullptr) {
        complaints_.push_back("VT_CONFIG: " + path + " cannot be read: " + strerror(errno) + "; going on without it");
        return;
    }
    char* line = nullptr;
    std::size_t capacity = 0;
    while (getline(&line, &capacity, file) >= 0) {
        const auto [name, value] = split_line(line);
        const bool prefixed = equal_ignoring_case(name.substr(0, 3), "VT_");
        if (!name.empty()) set(prefixed ? name.substr(3) : name, value, "file " + path);
    }
    std::free(line);
    std::fclose(file);
}

Options Options::read(const char* const* environment) {
    Options options;
    for (const OptionRow& row : option_table)
        options.values_.push_back({std::string{row.name}, std::string{row.initial}, "default"});
    std::vector<std::string_view> ours;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const std::string_view variable = *environment;
        const auto equals = variable.find('=');
        if (!variable.starts_with("VT_") || equals == std::string_view::npos) continue;
        const std::string_view name = variable.substr(0, equals);
        if (std::find(internal_variables.begin(), internal_variables.end(), name) == internal_variables.end())
            ours.push_back(variable);
    }
    std::sort(ours.begin(), ours.end()); // the same order on every rank, whatever order its environment has
    constexpr std::string_view config = "VT_CONFIG=";
    for (const std::string_view variable : ours)
        if (variable.starts_with(config) && variable.size() > config.size())
            options.read_file(std::string{variable.substr(config.size())});
    for (const std::string_view variable : ours) {
        const auto equals = variable.find('=');
        options.set(variable.substr(3, equals - 3), variable.substr(equals + 1), "environment");
    }
    options.answer_intel_options();
    return options;
}

std::int64_t Options::nanoseconds(Option option) const {
    const auto time = parse_time(text(option));
    return time ? *time : 0; // values were checked when they were read; a unit test checks the defaults
}

std::uint64_t Options::bytes(Option option) const {
    const auto number = parse_bytes(text(option));
    return number ? *number : 0;
}

std::uint64_t Options::count(Option option) const {
    const auto number = parse_count(text(option));
    return number ? *number : 0;
}

std::optional<double> Options::share(Option option) const { return share_of(text(option)); }

Timer Options::timer() const { return timer_named(text(Option::timer)).value_or(best_timer()); }
bool Options::lists_timers() const { return equal_ignoring_case(text(Option::timer), "LIST"); }
Fit Options::fit() const { return fit_named(text(Option::sync_fit)).value_or(Fit::interval); }
Topology Options::topology() const { return topology_named(text(Option::sync_topology)).value_or(Topology::automatic); }
Piggyback Options::piggyback() const { return piggyback_named(text(Option::piggyback)).value_or(Piggyback::off); }
std::uint64_t Options::samples_a_second() const { return tactus::samples_a_second(text(Option::sampling)).value_or(0); }
CallLevels Options::levels_of_calls() const { return call_levels(text(Option::pctrace)).value_or(CallLevels{}); }
std::int64_t Options::sync_period_ns() const { return period_ns(text(Option::sync_period)).value_or(0); }

SyncedHost Options::synced_host() const {
    if (equal_ignoring_case(text(Option::synced_host), "auto")) return SyncedHost::automatic;
    return on(Option::synced_host) ? SyncedHost::on : SyncedHost::off;
}

unsigned Options::nccl() const { return nccl_events_named(text(Option::nccl_events)).value_or(0); }

bool Options::on(Option option) const {
    const auto yes = parse_bool(text(option));
    const auto level = parse_count(text(option)); // of VT_VERBOSE
    return yes ? *yes : level && *level > 0;
}

} // namespace tactus
