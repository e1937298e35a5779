// What the words behind a record say, by the record's shape. Pure; every function takes words from a file and trusts
// nothing.
#pragma once

#include "trace/record.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tactus {

using Words = std::span<const std::int64_t>;

// Wait and Test families, whatever they completed; MPI_Request_get_status that found its request complete.
std::vector<Completion> completions_of(const Record& record, Words words);

// MPI_Sendrecv(_replace): the receiving half (the record itself is the sending half).
std::optional<Completion> received_half(Words words);

// MPI_Start and MPI_Startall: what they started.
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
