// The messages of a trace by where they begin and end, for drawing them. One thread.
//
// Memory: 80 bytes a message, besides what matching takes (postproc/replay/messages.hpp): this is what grows with a
// trace.
#pragma once

#include "postproc/replay/messages.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tactus {

struct FlowEnd {
    std::uint32_t lane = 0;
    std::uint32_t other = 0; // the other side's rank
    Ticks tick = 0;
    std::uint64_t flow = 0; // its number, from 1
    std::uint64_t bytes = 0;
    std::int32_t tag = 0;
};

class Flows {
  public:
    explicit Flows(const Trace& trace);

    // What the call of that lane that was entered then sent, and what the one that was left then received.
    [[nodiscard]] std::span<const FlowEnd> sent(std::uint32_t rank, std::uint32_t lane, Ticks enter) const;
    [[nodiscard]] std::span<const FlowEnd> received(std::uint32_t rank, std::uint32_t lane, Ticks leave) const;
    [[nodiscard]] const MessageCounts& counts() const { return counts_; }

  private:
    using Ends = std::map<std::uint32_t, std::vector<FlowEnd>>; // by rank
    static std::span<const FlowEnd> find(const Ends& ends, std::uint32_t rank, std::uint32_t lane, Ticks tick);

    Ends sent_;
    Ends received_;
    MessageCounts counts_;
};

} // namespace tactus
