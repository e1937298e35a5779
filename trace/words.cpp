#include "trace/words.hpp"

#include <numeric>

namespace tactus {

std::vector<Completion> completions_of(const Record& record, Words words) {
    std::vector<Completion> list;
    each_completion(record, words, [&](const Completion& completion) { list.push_back(completion); });
    return list;
}

std::vector<Started> starts_of(const Record& record, Words words) {
    std::vector<Started> list;
    each_start(record, words, [&](const Started& started) { list.push_back(started); });
    return list;
}

std::vector<SentMessage> messages_sent(const Record& record, Words words) {
    std::vector<SentMessage> list;
    each_sent(record, words, [&](const SentMessage& message) { list.push_back(message); });
    return list;
}

std::vector<NotRecorded> not_recorded_of(Words words) {
    std::vector<NotRecorded> list;
    for (; words.size() >= NotRecorded::words; words = words.subspan(NotRecorded::words))
        list.push_back(NotRecorded::from(words.data()));
    return list;
}

std::optional<Completion> received_half(Words words) {
    if (words.size() < 2) return {};
    return Completion{.received = true,
                      .bytes = static_cast<std::uint64_t>(words[0]),
                      .source = envelope_source(words[1]),
                      .tag = envelope_tag(words[1])};
}

std::uint64_t ByteVector::sum() const {
    if (bytes.size() == 1) return bytes[0] * ranks;
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

std::vector<ByteVector> byte_vectors_of(Words words) {
    std::vector<ByteVector> list;
    for (std::size_t i = 0; i < words.size();) {
        const auto head = static_cast<std::uint64_t>(words[i++]);
        ByteVector vector{.ranks = head >> 1, .bytes = {}};
        const std::uint64_t values = (head & 1) != 0 ? 1 : vector.ranks;
        if (values > words.size() - i) break;
        for (std::uint64_t v = 0; v < values; ++v) vector.bytes.push_back(static_cast<std::uint64_t>(words[i++]));
        list.push_back(std::move(vector));
    }
    return list;
}

} // namespace tactus
