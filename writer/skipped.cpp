#include "writer/skipped.hpp"

#include <new>

namespace tactus {

NotRecorded& Skipped::entry_of(const NotRecorded& channel) const {
    const std::uint64_t key = (std::uint64_t{channel.comm} << 34) ^
                              (static_cast<std::uint64_t>(static_cast<std::uint32_t>(channel.peer)) << 2) ^
                              static_cast<std::uint64_t>(channel.direction);
    std::size_t i = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 32) & (size_ - 1);
    const auto other = [&](const NotRecorded& missing) {
        return missing.count != 0 &&
               (missing.comm != channel.comm || missing.peer != channel.peer || missing.direction != channel.direction);
    };
    while (other(table_[i])) i = (i + 1) & (size_ - 1);
    return table_[i];
}

bool Skipped::grow() {
    const std::size_t old_size = size_;
    const std::size_t size = old_size == 0 ? 64 : old_size * 2;
    NotRecorded* const old = table_;
    auto* const table = new (std::nothrow) NotRecorded[size];
    if (table == nullptr) return false;
    table_ = table;
    size_ = size;
    for (std::size_t i = 0; i < old_size; ++i)
        if (old[i].count != 0) entry_of(old[i]) = old[i];
    delete[] old;
    return true;
}

void Skipped::add(std::uint32_t comm, std::int32_t peer, Direction direction) {
    if (2 * channels_ >= size_ && !grow()) return;
    NotRecorded& missing = entry_of({comm, peer, direction, 0});
    if (missing.count == 0) ++channels_;
    missing = {comm, peer, direction, missing.count + 1};
}

std::vector<std::int64_t> Skipped::take() {
    std::vector<std::int64_t> words(channels_ * NotRecorded::words);
    std::size_t used = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        if (table_[i].count == 0) continue;
        table_[i].put(words.data() + used);
        used += NotRecorded::words;
        table_[i] = {};
    }
    channels_ = 0;
    calls_ = 0;
    first_ = 0;
    return words;
}

} // namespace tactus
