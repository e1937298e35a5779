#include "postproc/export/lane_records.hpp"

#include <algorithm>
#include <cstring>

namespace tactus {
namespace {

constexpr std::size_t slots_of_block = 4096;
constexpr std::size_t most_words = (slots_of_block - 1) * words_per_slot;

} // namespace

LaneRecords::LaneRecords(RankWriter& writer) : writer_{writer}, encoder_{slots_of_block}, room_(encoder_.most_bytes()) {
    slots_.reserve(slots_of_block);
}

void LaneRecords::begin_lane(std::uint32_t lane) {
    lane_ = lane;
    sequence_ = 0;
    ++lanes_;
}

void LaneRecords::add(Record record, Words words) {
    calls_ += calls_of(record);
    ++records_;
    put(record, words.first(std::min(words.size(), most_words)));
    while (words.size() > most_words) {
        words = words.subspan(most_words);
        record.what.kind = Kind::more;
        put(record, words.first(std::min(words.size(), most_words)));
    }
}

void LaneRecords::put(const Record& record, Words words) {
    if (slots_.size() + 1 + slots_of_words(words.size()) > slots_of_block) seal();
    slots_.push_back(record);
    slots_.back().what.words = static_cast<std::uint32_t>(words.size());
    first_ = std::min(first_, record.enter);
    for (; !words.empty(); words = words.subspan(std::min(words.size(), words_per_slot))) {
        Continuation more;
        std::copy_n(words.begin(), std::min(words.size(), words_per_slot), std::begin(more.words));
        std::memcpy(static_cast<void*>(&slots_.emplace_back()), &more, sizeof more);
    }
}

void LaneRecords::seal() {
    if (slots_.empty()) return;
    BlockHeader header;
    header.lane = lane_;
    header.sequence = sequence_++;
    header.job = writer_.job();
    header.first = first_;
    const std::size_t size = encoder_.encode(slots_, header, room_.data());
    good_ = writer_.add({room_.data(), size}) && good_;
    slots_.clear();
    first_ = ~Ticks{0};
}

void LaneRecords::end_lane() { seal(); }

} // namespace tactus
