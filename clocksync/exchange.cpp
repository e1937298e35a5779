#include "clocksync/exchange.hpp"

#include <algorithm>
#include <bit>

namespace tactus {
namespace {

constexpr std::uint64_t your_turn = 1;
constexpr std::uint64_t over = 0;

bool exchange_with(Wire& wire, std::uint32_t child) {
    wire.expect(child);
    std::uint64_t request = 0;
    return wire.send(child, your_turn) && wire.receive(child, request) && wire.send(child, now());
}

} // namespace

bool serve(Wire& wire, std::span<const std::uint32_t> children, const RoundLimits& limits) {
    const std::int64_t end = monotonic_ns() + limits.duration_ns;
    for (std::uint64_t message = 0; message < limits.messages && monotonic_ns() < end; ++message)
        for (const std::uint32_t child : children)
            if (!exchange_with(wire, child)) return false;
    for (const std::uint32_t child : children)
        if (!wire.send(child, over)) return false;
    return true;
}

bool measure(Wire& wire, std::uint32_t master, std::vector<SyncSample>& samples) {
    while (true) {
        wire.expect(master);
        std::uint64_t prompt = over;
        if (!wire.await(master, prompt)) return false;
        if (prompt == over) return true;
        wire.expect(master);
        SyncSample sample;
        sample.sent = now();
        if (!wire.send(master, your_turn) || !wire.receive(master, sample.master)) return false;
        sample.received = now();
        samples.push_back(sample);
    }
}

TreePlace place_in_tree(Topology topology, std::size_t leader, std::size_t leaders) {
    TreePlace place;
    if (topology == Topology::automatic) topology = leaders > largest_star ? Topology::tree : Topology::star;
    if (topology == Topology::star) {
        place.at_once = true;
        place.level = leader == 0 ? 0 : 1;
        for (std::size_t i = 1; leader == 0 && i < leaders; ++i) place.children.push_back(i);
        return place;
    }
    place.level = static_cast<std::uint32_t>(std::popcount(leader));
    place.turns = std::max(1U, static_cast<std::uint32_t>(std::bit_width(leaders - 1)));
    const std::size_t first = leader == 0 ? 1 : std::bit_floor(leader) * 2;
    place.parent = leader == 0 ? 0 : leader - std::bit_floor(leader);
    for (std::size_t step = first; leader + step < leaders; step *= 2) place.children.push_back(leader + step);
    return place;
}

} // namespace tactus
