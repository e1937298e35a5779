// A receive with room for messages without a header (lengths.hpp). The MPI receives into the application's own buffer,
// and most messages need nothing more. A message with a header is moved down by header_bytes. It has then overwritten
// header_bytes after its end, and these are put back from a copy of the front of the buffer, which was made when the
// receive was posted.
#pragma once

#include "piggyback/mpi/data.hpp"
#include "piggyback/mpi/message_buffer.hpp"
#include "piggyback/mpi/policy.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

struct LargeReceive {
    enum class Placement : unsigned char {
        direct, // in the application's buffer, which is dense
        pieces, // in the application's buffer, which has gaps; only large ones, where another copy would cost too much
        // In a buffer of tactus. Either the application's buffer has gaps, or it lacks a few bytes for the longest
        // message with a header, or the MPI accepts no message into this datatype that ends in the middle of a basic
        // element.
        bounced
    };
    Data data;
    std::uint64_t room; // bytes of `data`
    Placement placement;
    std::size_t piece_count; // number of pieces of the front; they follow this struct in memory
    std::byte* kept;         // copy of the front, longest_headed() bytes; when bounced, the buffer of tactus

    // `data` must be sound, and its `room` in bytes larger than the largest size with a header. Fills `pieces`.
    LargeReceive(const Data& data, std::uint64_t room, std::vector<Piece>& pieces);
    // Bytes that a message buffer needs for this receive.
    [[nodiscard]] std::size_t space() const;
    // Bytes of the buffer of tactus, when bounced.
    [[nodiscard]] std::size_t bounce_bytes() const;
    [[nodiscard]] Piece* pieces() { return reinterpret_cast<Piece*>(this + 1); }
};
static_assert(sizeof(LargeReceive) % alignof(Piece) == 0);

// space() of a receive of dense data, which is the usual case.
inline std::size_t large_receive_space() { return sizeof(LargeReceive) + piggyback_policy.lengths.longest_headed(); }

// Copies the receive and its pieces into the message buffer, which has room for space() bytes.
void prepare_large_receive(MessageBuffer& message_buffer, const LargeReceive& large_receive,
                           const std::vector<Piece>& pieces);
// Copies the front of the application's buffer; called when the receive is posted.
void keep_front(LargeReceive& large_receive);
// The part of finish_receive() for large receives. `failed`: the receive was too short for its message.
Received finish_large_receive(MessageBuffer& message_buffer, MPI_Status& status, bool failed);

} // namespace tactus
