// What a lane did not record although it happened, because VT_traceoff or a filter said so: how many calls, and how
// many messages and collectives on each channel, so that the k-th send still finds the k-th receive. One thread.
#pragma once

#include "trace/record.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus {

class Skipped {
  public:
    void add_call(Ticks enter) {
        if (calls_ == 0) first_ = enter;
        ++calls_;
    }
    void add(std::uint32_t comm, std::int32_t peer, Direction direction);

    [[nodiscard]] bool empty() const { return calls_ == 0 && channels_ == 0; }
    [[nodiscard]] bool full() const { return channels_ > most_channels / 2; }
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] Ticks first() const { return first_; } // enter of the first call; 0: there were only completions

    static constexpr std::size_t most_words = 256 * NotRecorded::words;
    // Writes the channels to `words`, gives how many words that are, and begins anew.
    std::size_t take(std::array<std::int64_t, most_words>& words);

  private:
    static constexpr std::size_t most_channels = most_words / NotRecorded::words;

    std::array<NotRecorded, most_channels> table_ = {}; // open addressing; free where the count is 0
    std::size_t channels_ = 0;
    std::uint64_t calls_ = 0;
    Ticks first_ = 0;
};

} // namespace tactus
