// The effective options of this process: defaults, then the file that VT_CONFIG names, then VT_* of the environment.
// They are set once, before the first record, and only read afterwards.
#pragma once

#include "base/options/clock_choices.hpp"
#include "base/options/intel_options.hpp"
#include "base/options/option_table.hpp"
#include "base/options/option_value.hpp"
#include "base/options/rules.hpp"
#include "base/result.hpp"
#include "base/ticks.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus {

enum class Piggyback : std::uint8_t { off, on, structs, packed, message };
// The events that NCCL is asked for, as bits.
namespace nccl_events {
constexpr unsigned api = 1;
constexpr unsigned coll = 2;
constexpr unsigned p2p = 4;
constexpr unsigned kernel = 8;
constexpr unsigned proxy = 16;
constexpr unsigned net = 32;
} // namespace nccl_events
enum class SyncedHost : std::uint8_t { automatic, on, off };

class Options {
  public:
    // Takes all valid values of a null-terminated environment. Whatever is invalid (an unknown name, an invalid value,
    // an unreadable file) becomes a complaint of one line, and the default stays in force.
    static Options read(const char* const* environment);

    // Rules add up in the order given; those of the environment are last, ordered by the names of their variables.
    // Rules of VT_SYMBOL and VT_ACTIVITY are kept among those of VT_STATE, in its form, since the order matters.
    [[nodiscard]] const std::string& text(Option option) const { return value(option).value; }
    [[nodiscard]] std::int64_t nanoseconds(Option option) const;
    [[nodiscard]] bool on(Option option) const;
    [[nodiscard]] std::uint64_t bytes(Option option) const;
    [[nodiscard]] std::uint64_t count(Option option) const;
    [[nodiscard]] std::optional<double> share(Option option) const; // above 0, up to 1; nothing for a keyword
    [[nodiscard]] Timer timer() const;                              // the best timer when none was chosen
    [[nodiscard]] bool lists_timers() const;                        // VT_TIMER=LIST
    [[nodiscard]] Fit fit() const;
    [[nodiscard]] Topology topology() const;
    [[nodiscard]] Piggyback piggyback() const;
    [[nodiscard]] SyncedHost synced_host() const;
    [[nodiscard]] unsigned nccl() const;                  // bits of nccl_events
    [[nodiscard]] std::int64_t sync_period_ns() const;    // 0: off
    [[nodiscard]] std::uint64_t samples_a_second() const; // 0: off
    [[nodiscard]] CallLevels levels_of_calls() const;
    // In the table's order, and then those of Intel's collector that come in a later version.
    [[nodiscard]] std::vector<OptionValue> all() const;
    [[nodiscard]] const std::vector<std::string>& complaints() const { return complaints_; }

  private:
    [[nodiscard]] const OptionValue& value(Option option) const { return values_[static_cast<std::size_t>(option)]; }
    void set(std::string_view name, std::string_view value, const std::string& origin);
    void set_intel(const IntelOption& option, std::string_view value, const std::string& origin);
    void keep_for_later(const IntelOption& option, std::string_view value, const std::string& origin);
    void answer_intel_options();
    void add_rules(std::size_t row, std::string_view rules, const std::string& origin);
    void read_file(const std::string& path);

    std::vector<OptionValue> values_;
    std::vector<OptionValue> later_; // options of Intel's collector that come in a later version
    // Names of Intel's options, by the words that answer them.
    std::vector<std::pair<std::string_view, std::string>> answered_;
    std::vector<std::string> complaints_;
};

// Checks that `value` is valid for the kind; the error says which values would be.
Outcome check_option(OptionKind kind, std::string_view value);

} // namespace tactus
