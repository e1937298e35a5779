#include "writer/rescue.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace tactus {
namespace {

Ticks earliest_enter(const std::vector<Record>& slots) {
    Ticks earliest = slots.front().enter;
    for (std::size_t i = 0; i < slots.size(); i += 1 + slots_of_words(slots[i].what.words))
        earliest = std::min(earliest, slots[i].enter);
    return earliest;
}

} // namespace

Rescued Rescue::save(const LaneContents& lane, std::optional<Ticks> end) {
    Rescued saved;
    for (const LaneContents::Block& block : lane.unwritten) save_block(lane, block.sequence, block.slots, saved);
    if (!end || (lane.open.empty() && lane.regions.empty())) return saved;
    save_block(lane, lane.next_sequence, ended_at(lane, *end), saved);
    saved.open_calls = lane.open.size();
    return saved;
}

void Rescue::save_block(const LaneContents& lane, std::uint64_t sequence, const std::vector<Record>& slots,
                        Rescued& saved) {
    if (!prepare(std::max<std::size_t>(slots.size(), lane.slots_per_buffer))) {
        saved.complete = false;
        return;
    }
    BlockHeader header;
    header.lane = lane.lane;
    header.sequence = sequence;
    header.job = lane.job;
    header.lost = lane.lost;
    header.first = earliest_enter(slots);
    const std::size_t size = encoder_->encode(slots, header, bytes_.get());
    std::memcpy(&header, bytes_.get(), sizeof header);
    saved.complete = writer_.add({bytes_.get(), size}) && saved.complete;
    saved.calls += header.calls;
    saved.records += header.records;
}

bool Rescue::prepare(std::size_t slots) {
    if (slots <= most_slots_) return true;
    most_slots_ = 0;
    encoder_.reset(new (std::nothrow) BlockEncoder{slots, timer_step()});
    if (encoder_ == nullptr || !encoder_->ready()) return false;
    bytes_.reset(new (std::nothrow) std::uint8_t[encoder_->most_bytes()]);
    if (bytes_ != nullptr) most_slots_ = slots;
    return bytes_ != nullptr;
}

} // namespace tactus
