// Reads the words that follow a record, by the shape of its function. Pure. The words come from a file, so every
// function checks them.
#pragma once

#include "trace/record.hpp"
#include "trace/shapes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tactus {

using Words = std::span<const std::int64_t>;

// Calls `take` with each Completion of a record: of the Wait and Test families, and of an MPI_Request_get_status that
// found its request complete.
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

// Gives the receiving half of an MPI_Sendrecv(_replace); the record itself is the sending half.
std::optional<Completion> received_half(Words words);

// Calls `take` with each request that an MPI_Start or MPI_Startall started.
template <class Take> void each_start(const Record& record, Words words, Take&& take) {
    const auto function = static_cast<std::size_t>(record.what.function);
    if (function >= function_count || !starts_persistent(functions[function].shape)) return;
    for (; words.size() >= Started::words; words = words.subspan(Started::words)) take(Started::from(words.data()));
}
std::vector<Started> starts_of(const Record& record, Words words);

// A message that a call sent, as the call asked for it. A send has one; MPI_Start and MPI_Startall have one for each
// send among the requests that they started.
struct SentMessage {
    std::uint32_t comm = 0;
    std::int32_t peer = peer::none;
    std::int32_t tag = 0;
    std::uint64_t bytes = 0;
    Function function{};       // the send, or the function that prepared it
    std::uint64_t request = 0; // the request's number; 0 for a blocking call
};
template <class Take> void each_sent(const Record& record, Words words, Take&& take) {
    const Signature& what = record.what;
    if (what.kind != Kind::call || what.has(flag::failed) || mode_of(what.function) == Mode::persistent) return;
    if (is_send(shape_of(what.function)) && what.peer >= 0)
        take(SentMessage{what.comm, what.peer, what.tag, what.bytes, what.function,
                         what.has(flag::starts) ? record.request : 0});
    each_start(record, words, [&](const Started& started) {
        if (is_send(shape_of(started.function)) && started.peer >= 0)
            take(
                SentMessage{started.comm, started.peer, started.tag, started.bytes, started.function, started.request});
    });
}
std::vector<SentMessage> messages_sent(const Record& record, Words words);

// Gives the channels on which something was not recorded, from the words of a loss record.
std::vector<NotRecorded> not_recorded_of(Words words);

// A vector of bytes per rank. In the words it is 2 x n + (1 if all values are equal), then n values or the single one.
struct ByteVector {
    std::uint64_t ranks = 0;
    std::vector<std::uint64_t> bytes; // `ranks` values, or one for all
    [[nodiscard]] std::uint64_t at(std::size_t rank) const { return bytes.size() == 1 ? bytes[0] : bytes[rank]; }
    [[nodiscard]] std::uint64_t sum() const;
};

// The vectors of a v-collective: Gatherv (root: received), Scatterv (root: sent), Allgatherv (received), Reduce_scatter
// (received), Alltoallv and Alltoallw (sent, then received). Those of neighborhood collectives are by neighbor, in the
// order of the topology. There are fewer vectors when the words are cut or the rank is not the root.
std::vector<ByteVector> byte_vectors_of(Words words);

} // namespace tactus
