// A receive with room for messages that come without a header (lengths.hpp). It is the application's own buffer, where
// most messages need nothing more. What comes with a header is moved down, and the header_bytes behind the message that
// it has overwritten are put back: the front of the buffer is kept from when the receive is posted.
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
        direct, // dense
        pieces, // with gaps; only large ones, where another copy would cost too much
        // In a buffer of ours: with gaps; or there is less room than a message with a header can take, by a few bytes;
        // or the MPI takes no message into this datatype that ends in the middle of a basic element.
        bounced
    };
    Data data;
    std::uint64_t room; // bytes of it
    Placement placement;
    std::size_t piece_count; // that the front consists of, behind this
    std::byte* kept;         // the front, longest_headed() bytes; or the buffer of ours

    // For so many bytes of sound data, more than have a header. Fills `pieces`.
    LargeReceive(const Data& data, std::uint64_t room, std::vector<Piece>& pieces);
    // Of a message_buffer for it.
    [[nodiscard]] std::size_t space() const;
    // Of our buffer.
    [[nodiscard]] std::size_t bounce_bytes() const;
    [[nodiscard]] Piece* pieces() { return reinterpret_cast<Piece*>(this + 1); }
};
static_assert(sizeof(LargeReceive) % alignof(Piece) == 0);

// Of a receive of dense data, the usual one.
inline std::size_t large_receive_space() { return sizeof(LargeReceive) + piggyback_policy.lengths.longest_headed(); }

// Moves it into the message_buffer, of space() bytes.
void prepare_large_receive(MessageBuffer& message_buffer, const LargeReceive& large_receive,
                           const std::vector<Piece>& pieces);
// The receive is posted now.
void keep_front(LargeReceive& large_receive);
Received finish_large_receive(MessageBuffer& message_buffer, MPI_Status& status, bool failed);

} // namespace tactus
