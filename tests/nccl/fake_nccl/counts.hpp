// Counts callbacks by kind. Each thread counts for itself without locked instructions, and a reader adds the counts up.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

namespace tactus::fake_nccl {

inline constexpr std::size_t event_bits = 21;     // by bit number
inline constexpr std::size_t counted_states = 33; // the last is for a state that no version has

template <typename Number> struct CountsOf {
    Number init{}, init_errors{}, finalize{};
    std::array<Number, event_bits> start{}, stop{};
    std::array<Number, counted_states> state{};
    Number invalid{};        // stops or states on a handle that is stopped already; a correct plugin counts them
    Number null_handle{};    // stops or states on a NULL handle
    Number after_finalize{}; // callbacks of a communicator whose finalize has been called
    Number null_context{};   // starts with a NULL context
    Number dropped{};        // events and states that the plugin's version does not have

    void each(auto&& of) const { each_of(*this, of); }
    void each(auto&& of) { each_of(*this, of); }

  private:
    static void each_of(auto& self, auto&& of) {
        for (auto* number : {&self.init, &self.init_errors, &self.finalize, &self.invalid, &self.null_handle,
                             &self.after_finalize, &self.null_context, &self.dropped})
            of(*number);
        for (auto& number : self.start) of(number);
        for (auto& number : self.stop) of(number);
        for (auto& number : self.state) of(number);
    }
};

using Totals = CountsOf<std::uint64_t>;

// Written by its own thread alone, and read by any thread.
class Tally {
  public:
    void add() { value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
    [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

using ThreadCounts = CountsOf<Tally>;

// The counts of the calling thread. They outlive the thread.
[[nodiscard]] ThreadCounts& counts();

[[nodiscard]] Totals total_counts();                     // of all threads so far
void add(Totals& sum, const Totals& other);              // for the counts of another process
[[nodiscard]] std::string json_of(const Totals& totals); // "callbacks" and the counters that follow it, without braces
[[nodiscard]] const char* event_name(std::size_t bit);   // "Group", "Coll", ...

[[nodiscard]] inline std::size_t bit_of(std::uint64_t type) { return static_cast<std::size_t>(std::countr_zero(type)); }

} // namespace tactus::fake_nccl
