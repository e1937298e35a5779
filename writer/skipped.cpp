#include "writer/skipped.hpp"

namespace tactus {

// The caller empties the table when it is full(), so there is always a free place.
void Skipped::add(std::uint32_t comm, std::int32_t peer, Direction direction) {
    const std::uint64_t key = (std::uint64_t{comm} << 34) ^
                              (static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 2) ^
                              static_cast<std::uint64_t>(direction);
    std::size_t i = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 32) % most_channels;
    const auto other = [&](const NotRecorded& one) {
        return one.count != 0 && (one.comm != comm || one.peer != peer || one.direction != direction);
    };
    while (other(table_[i])) i = (i + 1) % most_channels;
    if (table_[i].count == 0) ++channels_;
    table_[i] = {comm, peer, direction, table_[i].count + 1};
}

std::size_t Skipped::take(std::array<std::int64_t, most_words>& words) {
    std::size_t used = 0;
    for (NotRecorded& one : table_) {
        if (one.count == 0) continue;
        one.put(words.data() + used);
        used += NotRecorded::words;
        one = {};
    }
    channels_ = 0;
    calls_ = 0;
    first_ = 0;
    return used;
}

} // namespace tactus
