// Brings into the rank's file what its lanes still hold: records that were not written, and calls that are open. For a
// flush while the program runs, for its end in another thread, and for recovery after its death.
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
    std::uint64_t open_calls = 0; // among them
    bool complete = true;         // false: memory or the file system refused
};

class Rescue {
  public:
    explicit Rescue(RankWriter& writer) : writer_{writer} {}

    // Without `end` open calls are left out: a later block of the same sequence will have them.
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
