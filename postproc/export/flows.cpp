#include "postproc/export/flows.hpp"

#include <algorithm>
#include <tuple>

namespace tactus {
namespace {

auto key(const FlowEnd& end) { return std::tuple{end.lane, end.tick, end.flow}; }

} // namespace

Flows::Flows(const Trace& trace) {
    std::uint64_t number = 0;
    counts_ = for_each_message(trace, [&](const Message& message) {
        const MessageEnd& from = message.sent;
        const MessageEnd& to = message.received;
        ++number;
        sent_[from.rank].push_back({from.lane, to.rank, from.tick, number, message.bytes, message.tag});
        received_[to.rank].push_back({to.lane, from.rank, to.tick, number, message.bytes, message.tag});
    });
    for (Ends* ends : {&sent_, &received_})
        for (auto& [rank, list] : *ends)
            std::sort(list.begin(), list.end(), [](const FlowEnd& a, const FlowEnd& b) { return key(a) < key(b); });
}

std::span<const FlowEnd> Flows::find(const Ends& ends, std::uint32_t rank, std::uint32_t lane, Ticks tick) {
    const auto of_rank = ends.find(rank);
    if (of_rank == ends.end()) return {};
    const auto [first, last] = std::equal_range(
        of_rank->second.begin(), of_rank->second.end(), FlowEnd{.lane = lane, .tick = tick},
        [](const FlowEnd& a, const FlowEnd& b) { return std::tie(a.lane, a.tick) < std::tie(b.lane, b.tick); });
    return {first, last};
}

std::span<const FlowEnd> Flows::sent(std::uint32_t rank, std::uint32_t lane, Ticks enter) const {
    return find(sent_, rank, lane, enter);
}

std::span<const FlowEnd> Flows::received(std::uint32_t rank, std::uint32_t lane, Ticks leave) const {
    return find(received_, rank, lane, leave);
}

} // namespace tactus
