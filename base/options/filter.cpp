#include "base/options/filter.hpp"

#include "base/options/pattern.hpp"

#include <algorithm>

namespace tactus {
namespace {

const StateRule* last_match(const std::vector<StateRule>& rules, std::initializer_list<std::string_view> names) {
    const auto last = std::find_if(rules.rbegin(), rules.rend(), [&](const StateRule& rule) {
        return std::ranges::any_of(names, [&](std::string_view name) { return matches(rule.pattern, name); });
    });
    return last == rules.rend() ? nullptr : &*last;
}

} // namespace

Filter Filter::read(const Options& options) {
    Filter filter;
    for (const auto text : split_rules(options.text(Option::state)))
        if (const auto rule = parse_state_rule(OptionKind::state_rules, text)) filter.rules_.push_back(*rule);
    return filter;
}

bool Filter::records(std::string_view activity, std::string_view symbol) const {
    const std::string name = std::string{activity} + ':' + std::string{symbol};
    const StateRule* const last = last_match(rules_, {name});
    return last == nullptr || last->on;
}

CounterRules CounterRules::read(const Options& options) {
    CounterRules counters;
    for (const auto text : split_rules(options.text(Option::counter)))
        if (const auto rule = parse_counter_rule(text)) counters.rules_.push_back(*rule);
    return counters;
}

bool CounterRules::records(std::initializer_list<std::string_view> names, bool otherwise) const {
    const StateRule* const last = last_match(rules_, names);
    return last == nullptr ? otherwise : last->on;
}

std::vector<const CountedEvent*> events_to_count(const Options& options) {
    const CounterRules rules = CounterRules::read(options);
    std::vector<const CountedEvent*> events;
    for (const CountedEvent& event : counted_events)
        if (rules.records({event.name, event.other_name}, false)) events.push_back(&event);
    return events;
}

ProcessState state_of_process(const Options& options, std::uint64_t rank, std::uint64_t ranks) {
    const auto number = [ranks](std::uint64_t written) { return written == last_rank ? ranks - 1 : written; };
    ProcessState state = ProcessState::on;
    for (const auto text : split_rules(options.text(Option::process))) {
        const auto rule = parse_process_rule(text);
        if (!rule) continue;
        const bool named = std::any_of(rule->ranks.begin(), rule->ranks.end(), [&](const RankTriplet& triplet) {
            const std::uint64_t first = number(triplet.first);
            return rank >= first && rank <= number(triplet.last) && (rank - first) % triplet.step == 0;
        });
        if (named) state = rule->state;
    }
    return state;
}

} // namespace tactus
