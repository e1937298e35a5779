// Counts what a lane did not record because of VT_traceoff or a filter: calls, and messages and collectives on each
// channel, so that the k-th send still finds the k-th receive. One thread.
#pragma once

#include "trace/record.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

class Skipped {
  public:
    Skipped() = default;
    ~Skipped() { delete[] table_; }
    Skipped(const Skipped&) = delete;
    Skipped& operator=(const Skipped&) = delete;

    void add_call(Ticks enter) {
        if (calls_ == 0) first_ = enter;
        ++calls_;
    }
    // Counts a message or a collective on its channel. When memory is refused, only the calls are counted.
    void add(std::uint32_t comm, std::int32_t peer, Direction direction);

    [[nodiscard]] bool empty() const { return calls_ == 0 && channels_ == 0; }
    [[nodiscard]] std::uint64_t calls() const { return calls_; }
    [[nodiscard]] Ticks first() const { return first_; } // enter of the first call; 0 when there were only completions

    // Gives the channels as the words of NotRecorded, and begins to count anew.
    std::vector<std::int64_t> take();

  private:
    [[nodiscard]] NotRecorded& entry_of(const NotRecorded& channel) const;
    bool grow();

    NotRecorded* table_ = nullptr; // open addressing, at most half full; free where the count is 0
    std::size_t size_ = 0;
    std::size_t channels_ = 0;
    std::uint64_t calls_ = 0;
    Ticks first_ = 0;
};

} // namespace tactus
