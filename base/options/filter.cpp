#include "base/options/filter.hpp"

#include "base/options/pattern.hpp"

#include <algorithm>

namespace tactus {

Filter Filter::read(const Options& options) {
    Filter filter;
    for (const auto text : split_rules(options.text(Option::state)))
        if (const auto rule = parse_state_rule(OptionKind::state_rules, text)) filter.rules_.push_back(*rule);
    return filter;
}

bool Filter::records(std::string_view activity, std::string_view symbol) const {
    const std::string name = std::string{activity} + ':' + std::string{symbol};
    const auto last = std::find_if(rules_.rbegin(), rules_.rend(),
                                   [&](const StateRule& rule) { return matches(rule.pattern, name); });
    return last == rules_.rend() || last->on;
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
