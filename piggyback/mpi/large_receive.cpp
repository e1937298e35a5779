#include "piggyback/mpi/large_receive.hpp"

#include "piggyback/mpi/side_message.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>

namespace tactus {
namespace {

using Where = LargeReceive::Where;

std::byte* user_of(const LargeReceive& large_receive) {
    return static_cast<std::byte*>(const_cast<void*>(large_receive.data.buffer));
}

// Calls copy(place in the application's buffer, how far from the front, bytes) for what lies there from `begin` on.
template <class Copy> void visit(LargeReceive& large_receive, std::size_t begin, std::size_t bytes, Copy copy) {
    const Piece* piece = large_receive.pieces();
    std::size_t at = 0; // packed
    for (std::size_t i = 0; i < large_receive.piece_count && at < begin + bytes; ++i, ++piece) {
        const std::size_t first = std::max(at, begin);
        const std::size_t last = std::min(at + piece->bytes, begin + bytes);
        if (first < last)
            copy(user_of(large_receive) + piece->at + static_cast<std::ptrdiff_t>(first - at), first, last - first);
        at += piece->bytes;
    }
}

// The first bytes that the MPI wrote, packed; into `space`, unless they are in one piece.
const std::byte* came_in(LargeReceive& large_receive, std::byte* space, std::size_t bytes) {
    if (large_receive.where == Where::direct) return user_of(large_receive);
    if (large_receive.where == Where::bounced) return large_receive.kept;
    visit(large_receive, 0, bytes,
          [space](const std::byte* place, std::size_t at, std::size_t n) { std::memcpy(space + at, place, n); });
    return space;
}

// What was behind a message of so many bytes.
struct Behind {
    Behind(const LargeReceive& large_receive, std::size_t size)
        : bytes{std::min(header_bytes, piggyback_policy.lengths.longest_headed() - size)} {
        if (large_receive.where != Where::bounced) std::memcpy(kept, large_receive.kept + size, bytes);
    }
    std::size_t bytes;
    std::byte kept[header_bytes]; // NOLINT: as many as there are
};

// The message, which may lie in the application's buffer, takes its place, and so does what was behind it.
void put(LargeReceive& large_receive, const std::byte* message, std::size_t size, const Behind& behind) {
    const auto copy = [&](std::size_t begin, const std::byte* from, std::size_t bytes) {
        visit(large_receive, begin, bytes,
              [&](std::byte* place, std::size_t at, std::size_t n) { std::memcpy(place, from + (at - begin), n); });
    };
    switch (large_receive.where) {
    case Where::direct:
        std::memmove(user_of(large_receive), message, size);
        std::memcpy(user_of(large_receive) + size, behind.kept, behind.bytes);
        break;
    case Where::pieces:
        copy(0, message, size);
        copy(size, behind.kept, behind.bytes);
        break;
    case Where::bounced:
        unpack_part(message, size, large_receive.data);
        break;
    }
}

void take_from_side_message(MessageBuffer& message_buffer, const MPI_Status& status, std::size_t length,
                            std::uint64_t size) {
    LargeReceive& large_receive = *message_buffer.large_receive;
    std::byte mark[mark_bytes];
    SideMessage* const side_message = fetch_side_message(status, size, came_in(large_receive, mark, length), length);
    if (side_message == nullptr) return;
    message_buffer.header = side_message->front.header;
    const bool fits = size <= large_receive.room;
    const std::size_t taken = std::min(size, large_receive.room);
    if (fits || tells_truncated_length) put(large_receive, side_message->data(), taken, {large_receive, taken});
    operator delete(side_message);
}

void land_headed(MessageBuffer& message_buffer, std::uint64_t size) {
    LargeReceive& large_receive = *message_buffer.large_receive;
    const Behind behind{large_receive, size};
    const std::byte* const came = came_in(large_receive, large_receive.kept, header_bytes + size);
    std::memcpy(&message_buffer.header, came, header_bytes);
    put(large_receive, came + header_bytes, size, behind);
}

// It is where it belongs, unless that was out of reach.
void land_bare(MessageBuffer& message_buffer, std::uint64_t length) {
    LargeReceive& large_receive = *message_buffer.large_receive;
    message_buffer.header.send_id = 0; // something has come
    if (large_receive.where == Where::bounced)
        unpack_part(large_receive.kept, std::min(length, large_receive.room), large_receive.data);
}

} // namespace

LargeReceive::LargeReceive(const Data& wanted, std::uint64_t all, std::vector<Piece>& pieces)
    : data{wanted}, room{all}, where{Where::bounced}, piece_count{0}, kept{nullptr} {
    constexpr std::uint64_t worth_pieces = 65536; // bytes
    const std::size_t longest = piggyback_policy.lengths.longest_headed();
    const TypeFacts facts = facts_of(data.type);
    if (room < longest) return;
    if (facts.dense) {
        where = Where::direct;
    } else if (room > worth_pieces && (facts.even || !whole_basic_elements || room > INT_MAX)) {
        pieces = first_pieces(data, longest);
        piece_count = pieces.size();
        if (piece_count > 0) where = Where::pieces;
    }
}

std::size_t LargeReceive::bounce_bytes() const { return std::max(room, piggyback_policy.lengths.longest_headed()); }

std::size_t LargeReceive::space() const {
    const std::size_t buffer = where == Where::bounced ? bounce_bytes() : piggyback_policy.lengths.longest_headed();
    return sizeof(LargeReceive) + piece_count * sizeof(Piece) + buffer;
}

void prepare_large_receive(MessageBuffer& message_buffer, const LargeReceive& large_receive,
                           const std::vector<Piece>& pieces) {
    auto* const made = new (message_buffer.data()) LargeReceive{large_receive};
    std::copy(pieces.begin(), pieces.end(), made->pieces());
    made->kept = reinterpret_cast<std::byte*>(made->pieces() + pieces.size());
    message_buffer.large_receive = made;
}

void keep_front(LargeReceive& large_receive) {
    switch (large_receive.where) {
    case Where::direct:
        std::memcpy(large_receive.kept, large_receive.data.buffer, piggyback_policy.lengths.longest_headed());
        break;
    case Where::pieces:
        came_in(large_receive, large_receive.kept, piggyback_policy.lengths.longest_headed());
        break;
    case Where::bounced:
        break;
    }
}

Came land(MessageBuffer& message_buffer, MPI_Status& status, bool failed) {
    const std::uint64_t length = bytes_in(status);
    const Form form = failed ? Form::bare : piggyback_policy.lengths.form_at(length);
    const std::uint64_t size = failed ? length : piggyback_policy.lengths.size_at(length);
    if (message_buffer.taken_in.begin()) {
        switch (form) {
        case Form::headed:
            land_headed(message_buffer, size);
            break;
        case Form::side_message:
            take_from_side_message(message_buffer, status, length, size);
            break;
        case Form::beside:
            land_bare(message_buffer, length);
            message_buffer.headed = fetch_beside(status, length, message_buffer.header);
            break;
        case Form::bare:
            land_bare(message_buffer, length);
            break;
        }
        message_buffer.taken_in.end();
    }
    set_bytes(status, size);
    switch (form) {
    case Form::headed:
        return Came::headed;
    case Form::side_message:
        return size <= message_buffer.large_receive->room ? Came::headed : Came::cut;
    case Form::beside:
        return message_buffer.headed ? Came::beside : Came::bare;
    case Form::bare:
        break;
    }
    return failed ? Came::nothing : Came::bare;
}

} // namespace tactus
