#include "base/options/intel_options.hpp"

#include "base/grammar.hpp"
#include "base/options/rules.hpp"

#include <algorithm>

namespace tactus {

static_assert(std::ranges::is_sorted(intel_options, {}, &IntelOption::name));

const IntelOption* intel_option(std::string_view name) {
    const auto found = std::ranges::lower_bound(intel_options, name, {}, &IntelOption::name);
    return found != intel_options.end() && found->name == name ? &*found : nullptr;
}

Outcome check_intel_value(IntelValue kind, std::string_view value) {
    const auto outcome = [](auto&& result) -> Outcome {
        if (result) return Done{};
        return result.error();
    };
    switch (kind) {
    case IntelValue::any:
        return Done{};
    case IntelValue::boolean:
        return outcome(parse_bool(value));
    case IntelValue::time:
        return outcome(parse_time(value));
    case IntelValue::count:
        return outcome(parse_count(value));
    case IntelValue::rules:
        return check_on_off_rule(value);
    }
    return Done{};
}

} // namespace tactus
