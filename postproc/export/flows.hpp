// The messages of a trace by where they begin and end, for drawing them. One thread.
//
// Memory: 80 bytes a message, in addition to what matching takes (postproc/replay/messages.hpp). Only this grows with
// the trace.
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
    std::uint64_t flow = 0; // number of the message, from 1
    std::uint64_t bytes = 0;
    std::int32_t tag = 0;
};

class Flows {
  public:
    explicit Flows(const Trace& trace);

    // The messages that the call entered at `enter` on this lane sent, and those that the call left at `leave`
    // received.
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
