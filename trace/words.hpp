// What the words behind a record say, by the record's shape. Pure; every function takes words from a file and trusts
// nothing.
#pragma once

#include "trace/record.hpp"
#include "trace/shapes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tactus {

using Words = std::span<const std::int64_t>;

// Wait and Test families, whatever they completed; MPI_Request_get_status that found its request complete. Calls
// `take` with each Completion.
template <class Take> void each_completion(const Record& record, Words words, Take&& take) {
    const Signature& what = record.what;
    if (what.has(flag::completes))
        return take(Completion{record.request, what.peer != peer::none, what.bytes, what.peer, what.tag});
    const auto function = static_cast<std::size_t>(what.function);
    if (function >= function_count || !has_completions(functions[function].shape)) return;
    for (std::size_t used; !words.empty(); words = words.subspan(used)) {
        used = Completion::words_of(words[0]);
        if (used > words.size()) return;
        take(Completion::from(words.data()));
    }
}
std::vector<Completion> completions_of(const Record& record, Words words);

// MPI_Sendrecv(_replace): the receiving half (the record itself is the sending half).
std::optional<Completion> received_half(Words words);

// MPI_Start and MPI_Startall: what they started.
template <class Take> void each_start(const Record& record, Words words, Take&& take) {
    const auto function = static_cast<std::size_t>(record.what.function);
    if (function >= function_count || !starts_persistent(functions[function].shape)) return;
    for (; words.size() >= Started::words; words = words.subspan(Started::words)) take(Started::from(words.data()));
}
std::vector<Started> starts_of(const Record& record, Words words);

// The messages a call sent, as it asked for them: one of a send, those among what MPI_Start and MPI_Startall started.
struct SentMessage {
    std::uint32_t comm = 0;
    std::int32_t peer = peer::none;
    std::int32_t tag = 0;
    std::uint64_t bytes = 0;
    Function function{};       // the send, or what prepared it
    std::uint64_t request = 0; // its number; 0: of a blocking call
};
template <class Take> void each_sent(const Record& record, Words words, Take&& take) {
    const Signature& what = record.what;
    if (what.kind != Kind::call || what.has(flag::failed) || mode_of(what.function) == Mode::persistent) return;
    if (is_send(shape_of(what.function)) && what.peer >= 0)
        take(SentMessage{what.comm, what.peer, what.tag, what.bytes, what.function,
                         what.has(flag::starts) ? record.request : 0});
    each_start(record, words, [&](const Started& one) {
        if (is_send(shape_of(one.function)) && one.peer >= 0)
            take(SentMessage{one.comm, one.peer, one.tag, one.bytes, one.function, one.request});
    });
}
std::vector<SentMessage> messages_sent(const Record& record, Words words);

// A loss record: the channels on which something was not recorded.
std::vector<NotRecorded> not_recorded_of(Words words);

// A vector of bytes per rank: the word 2 x n + (1 if all are equal), then n values, or the one.
struct ByteVector {
    std::uint64_t ranks = 0;
    std::vector<std::uint64_t> bytes; // `ranks` values, or one for all
    [[nodiscard]] std::uint64_t at(std::size_t rank) const { return bytes.size() == 1 ? bytes[0] : bytes[rank]; }
    [[nodiscard]] std::uint64_t sum() const;
};

// The vectors of a v-collective: Gatherv (root: received), Scatterv (root: sent), Allgatherv (received), Reduce_scatter
// (received), Alltoallv and Alltoallw (sent, then received); of neighborhood collectives by neighbor in the order of
// the topology. Fewer, when the words are cut or the rank is not the root.
std::vector<ByteVector> byte_vectors_of(Words words);

} // namespace tactus
