// The grammar of VT_STATE, VT_SYMBOL, VT_ACTIVITY, VT_COUNTER, VT_PROCESS and VT_TIME_WINDOWS: from text to plain data.
// Pure.
#pragma once

#include "base/options/option_table.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

// Whether functions whose ACTIVITY:SYMBOL matches are recorded, or counters whose name does.
struct StateRule {
    std::string pattern;
    bool on = true;
    std::string remark; // what the rule asks for that tactus does not do, and what is done instead; mostly empty
    [[nodiscard]] std::string text() const; // in the form that VT_STATE takes
};

enum class ProcessState {
    on,
    off,    // off until VT_traceon is called
    no,     // off for the whole run; VT_traceon does not change that
    discard // statistics without records in ITAC; here the same as `no`
};

// Ranks first, first + step, ..., up to last.
struct RankTriplet {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t step = 1;
};
inline constexpr std::uint64_t last_rank = ~std::uint64_t{0}; // "N": the last rank there is

struct ProcessRule {
    std::vector<RankTriplet> ranks;
    ProcessState state = ProcessState::on;
    std::string remark; // as in StateRule
};

// From begin up to, but without, end, in nanoseconds since the start of the trace.
struct TimeWindow {
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

// Several rules in one value are separated by ';' or line ends outside double quotes.
std::vector<std::string_view> split_rules(std::string_view value);

// `kind` is state_rules, symbol_rules or activity_rules.
Result<StateRule> parse_state_rule(OptionKind kind, std::string_view rule);

// A rule of VT_COUNTER, whose pattern is of names of counters.
Result<StateRule> parse_counter_rule(std::string_view rule);

// A rule without ranks is about all of them.
Result<ProcessRule> parse_process_rule(std::string_view rule);

// A pattern and on or off, as in state rules, but of names of any kind.
Outcome check_on_off_rule(std::string_view rule);

// Which levels of the stack above a call are recorded: `skip` of the innermost are not, and `count` of the next are.
// The first level is the place of the call, which is always recorded.
struct CallLevels {
    std::uint32_t skip = 0;
    std::uint32_t count = 0;
    bool operator==(const CallLevels&) const = default;
};
constexpr CallLevels only_the_call{.skip = 0, .count = 1};
constexpr CallLevels all_levels{.skip = 0, .count = 64};

// Parses all, on (only the call), off, LEVELS or SKIP:LEVELS, up to 15 each.
std::optional<CallLevels> call_levels(std::string_view value);

// The windows are sorted, and none touches the next. An empty value gives no windows.
Result<std::vector<TimeWindow>> parse_time_windows(std::string_view value);

// A rule of any of these kinds in the form that Options keeps, and its remark as in StateRule.
struct CheckedRule {
    std::string text;
    std::string remark;
};
Result<CheckedRule> check_rule(OptionKind kind, std::string_view rule);

} // namespace tactus
