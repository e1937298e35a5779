// The signals that a user may choose in an option. Pure.
#pragma once

#include "base/grammar.hpp"

#include <array>
#include <csignal>
#include <string_view>

namespace tactus {

struct NamedSignal {
    std::string_view name;
    int number;
};
inline constexpr auto named_signals = std::to_array<NamedSignal>({{"USR1", SIGUSR1},
                                                                  {"USR2", SIGUSR2},
                                                                  {"HUP", SIGHUP},
                                                                  {"ALRM", SIGALRM},
                                                                  {"IO", SIGIO},
                                                                  {"PWR", SIGPWR},
                                                                  {"URG", SIGURG},
                                                                  {"WINCH", SIGWINCH}});

// Gives the number of the signal with this name, which may begin with SIG; 0 for "off" or an empty name; -1 for any
// other name.
inline int signal_number(std::string_view name) {
    if (name.empty() || equal_ignoring_case(name, "off")) return 0;
    if (name.size() > 3 && equal_ignoring_case(name.substr(0, 3), "SIG")) name.remove_prefix(3);
    for (const NamedSignal& named : named_signals)
        if (equal_ignoring_case(name, named.name)) return named.number;
    return -1;
}

} // namespace tactus
