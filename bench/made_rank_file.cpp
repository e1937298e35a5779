#include "bench/made_rank_file.hpp"

#include <algorithm>
#include <cstring>

namespace tactus {

void MadeRankFile::add(Record record, Words words) {
    const std::size_t needed = 1 + slots_of_words(words.size());
    if (slots_.size() + needed > blocks_.slots) seal();
    record.what.words = static_cast<std::uint32_t>(words.size());
    slots_.push_back(record);
    for (; !words.empty(); words = words.subspan(std::min(words.size(), words_per_slot))) {
        Continuation more;
        std::copy_n(words.begin(), std::min(words.size(), words_per_slot), std::begin(more.words));
        std::memcpy(static_cast<void*>(&slots_.emplace_back()), &more, sizeof more);
    }
    ++records_;
}

void MadeRankFile::seal() {
    if (slots_.empty()) return;
    BlockHeader header;
    header.sequence = sequence_++;
    header.job = writer_.job();
    const std::size_t size = blocks_.encoder.encode(slots_, header, blocks_.room.data());
    good_ = writer_.add({blocks_.room.data(), size}) && good_;
    slots_.clear();
}

bool MadeRankFile::close(Definitions closing) {
    seal();
    closing.totals = {{.calls = records_, .records = records_, .lanes = 1, .lost = {}, .delays = {}}};
    return writer_.close(std::move(closing)) && good_;
}

} // namespace tactus
