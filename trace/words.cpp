#include "trace/words.hpp"

#include "trace/shapes.hpp"

#include <numeric>

namespace tactus {

std::vector<Completion> completions_of(const Record& record, Words words) {
    std::vector<Completion> list;
    if (record.what.has(flag::completes)) {
        const bool received = record.what.peer != peer::none;
        list.push_back({record.request, received, record.what.bytes, record.what.peer, record.what.tag});
        return list;
    }
    const auto function = static_cast<std::size_t>(record.what.function);
    if (function >= function_count || !has_completions(functions[function].shape)) return list;
    for (std::size_t used; !words.empty(); words = words.subspan(used)) {
        used = Completion::words_of(words[0]);
        if (used > words.size()) break;
        list.push_back(Completion::from(words.data()));
    }
    return list;
}

std::vector<Started> starts_of(const Record& record, Words words) {
    std::vector<Started> list;
    const auto function = static_cast<std::size_t>(record.what.function);
    if (function >= function_count || !starts_persistent(functions[function].shape)) return list;
    for (; words.size() >= Started::words; words = words.subspan(Started::words))
        list.push_back(Started::from(words.data()));
    return list;
}

std::vector<SentMessage> messages_sent(const Record& record, Words words) {
    std::vector<SentMessage> list;
    const Signature& what = record.what;
    if (what.kind != Kind::call || what.has(flag::failed) || mode_of(what.function) == Mode::persistent) return list;
    if (is_send(shape_of(what.function)) && what.peer >= 0)
        list.push_back(
            {what.comm, what.peer, what.tag, what.bytes, what.function, what.has(flag::starts) ? record.request : 0});
    for (const Started& one : starts_of(record, words))
        if (is_send(shape_of(one.function)) && one.peer >= 0)
            list.push_back({one.comm, one.peer, one.tag, one.bytes, one.function, one.request});
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
