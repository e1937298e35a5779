// Brings into the rank's file what its lanes still hold: records that were not written, and open calls. It is used for
// a flush while the program runs, for the end of the run in another thread, and for recovery after a process died.
#pragma once

#include "trace/lane_contents.hpp"
#include "writer/rank_writer.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace tactus {

struct Rescued {
    std::uint64_t calls = 0;
    std::uint64_t records = 0;
    std::uint64_t open_calls = 0; // those of `calls` that were open
    bool complete = true;         // false when memory or the file system refused
};

class Rescue {
  public:
    explicit Rescue(RankWriter& writer) : writer_{writer} {}

    // With `end`, open calls become records that end then. Without it they are left out: a later block of the same
    // sequence will have them.
    Rescued save(const LaneContents& lane, std::optional<Ticks> end);

  private:
    void save_block(const LaneContents& lane, std::uint64_t sequence, const std::vector<Record>& slots, Rescued& saved);
    bool prepare(std::size_t slots);

    RankWriter& writer_;
    std::size_t most_slots_ = 0;
    std::unique_ptr<BlockEncoder> encoder_;
    std::unique_ptr<std::uint8_t[]> bytes_;
};

} // namespace tactus
