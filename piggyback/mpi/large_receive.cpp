#include "piggyback/mpi/large_receive.hpp"

#include "piggyback/mpi/side_message.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>

namespace tactus {
namespace {

using Placement = LargeReceive::Placement;

std::byte* user_of(const LargeReceive& large_receive) {
    return static_cast<std::byte*>(const_cast<void*>(large_receive.data.buffer));
}

// Calls copy(address in the application's buffer, packed offset, bytes) for each contiguous part of the packed range
// that begins at `begin` and has `bytes`.
template <class Copy> void visit(LargeReceive& large_receive, std::size_t begin, std::size_t bytes, Copy copy) {
    const Piece* piece = large_receive.pieces();
    std::size_t at = 0; // packed offset of the piece
    for (std::size_t i = 0; i < large_receive.piece_count && at < begin + bytes; ++i, ++piece) {
        const std::size_t first = std::max(at, begin);
        const std::size_t last = std::min(at + piece->bytes, begin + bytes);
        if (first < last)
            copy(user_of(large_receive) + piece->at + static_cast<std::ptrdiff_t>(first - at), first, last - first);
        at += piece->bytes;
    }
}

// Returns the first bytes that the MPI wrote, packed. They are copied into `space` unless they lie in one piece.
const std::byte* first_bytes(LargeReceive& large_receive, std::byte* space, std::size_t bytes) {
    if (large_receive.placement == Placement::direct) return user_of(large_receive);
    if (large_receive.placement == Placement::bounced) return large_receive.kept;
    visit(large_receive, 0, bytes,
          [space](const std::byte* place, std::size_t at, std::size_t n) { std::memcpy(space + at, place, n); });
    return space;
}

// The bytes of the application's buffer that the end of a message of `size` bytes overwrote, because its header shifted
// it up. They lie directly after the place of the message without its header.
struct Overwritten {
    Overwritten(const LargeReceive& large_receive, std::size_t size)
        : bytes{std::min(header_bytes, piggyback_policy.lengths.longest_headed() - size)} {
        if (large_receive.placement != Placement::bounced) std::memcpy(kept, large_receive.kept + size, bytes);
    }
    std::size_t bytes;
    std::byte kept[header_bytes]; // NOLINT: only the first `bytes` are filled
};

// Copies the message to its place in the application's buffer, and the overwritten bytes to the place after it. The
// message itself may lie in the application's buffer. Returns whether the MPI would accept it there.
bool put(LargeReceive& large_receive, const std::byte* message, std::size_t size, const Overwritten& overwritten) {
    const auto copy = [&](std::size_t begin, const std::byte* from, std::size_t bytes) {
        visit(large_receive, begin, bytes,
              [&](std::byte* place, std::size_t at, std::size_t n) { std::memcpy(place, from + (at - begin), n); });
    };
    switch (large_receive.placement) {
    case Placement::direct:
        std::memmove(user_of(large_receive), message, size);
        std::memcpy(user_of(large_receive) + size, overwritten.kept, overwritten.bytes);
        return true;
    case Placement::pieces:
        copy(0, message, size);
        copy(size, overwritten.kept, overwritten.bytes);
        return true;
    case Placement::bounced:
        break;
    }
    return unpack_part(message, size, large_receive.data);
}

// This and the next two return false when the data is lost, or when the MPI would have refused the message.
bool deliver_side_message(MessageBuffer& message_buffer, const MPI_Status& status, std::size_t length,
                          std::uint64_t size) {
    LargeReceive& large_receive = *message_buffer.large_receive;
    std::byte space[mark_bytes];
    SideMessage* const side_message =
        fetch_side_message(status, size, first_bytes(large_receive, space, length), length);
    if (side_message == nullptr) return false;
    message_buffer.header = side_message->front.header;
    const bool fits = size <= large_receive.room;
    const std::size_t taken = std::min(size, large_receive.room);
    const bool whole =
        (!fits && !tells_truncated_length) || put(large_receive, side_message->data(), taken, {large_receive, taken});
    operator delete(side_message);
    return whole;
}

bool deliver_headed(MessageBuffer& message_buffer, std::uint64_t size) {
    LargeReceive& large_receive = *message_buffer.large_receive;
    const Overwritten overwritten{large_receive, size};
    const std::byte* const front = first_bytes(large_receive, large_receive.kept, header_bytes + size);
    std::memcpy(&message_buffer.header, front, header_bytes);
    return put(large_receive, front + header_bytes, size, overwritten);
}

// A message without a header is already in its place, unless the MPI received it into the buffer of tactus.
bool deliver_bare(MessageBuffer& message_buffer, std::uint64_t length) {
    LargeReceive& large_receive = *message_buffer.large_receive;
    message_buffer.header.send_id = 0; // no longer no_message_yet
    return large_receive.placement != Placement::bounced ||
           unpack_part(large_receive.kept, std::min(length, large_receive.room), large_receive.data);
}

// The form of a message of that length. It is bare when the form of its length needs a header or a mark that is not
// there.
Form form_of_message(LargeReceive& large_receive, const MPI_Status& status, std::uint64_t length) {
    const Form form = piggyback_policy.lengths.form_at(length);
    std::byte space[header_bytes];
    if (form == Form::headed) {
        MessageHeader header;
        std::memcpy(&header, first_bytes(large_receive, space, header_bytes), header_bytes);
        return is_header(header, status) ? form : Form::bare;
    }
    if (form != Form::side_message) return form;
    const std::size_t bytes = std::min<std::size_t>(length, sizeof(std::uint64_t));
    const std::uint64_t size = piggyback_policy.lengths.size_at(length);
    return is_marked(status, size, first_bytes(large_receive, space, bytes), length) ? form : Form::bare;
}

} // namespace

LargeReceive::LargeReceive(const Data& wanted, std::uint64_t all, std::vector<Piece>& pieces)
    : data{wanted}, room{all}, placement{Placement::bounced}, piece_count{0}, kept{nullptr} {
    constexpr std::uint64_t worth_pieces = 65536; // bytes above which another copy costs too much
    const std::size_t longest = piggyback_policy.lengths.longest_headed();
    const TypeFacts facts = facts_of(data.type);
    if (room < longest) return;
    if (facts.dense) {
        placement = Placement::direct;
    } else if (room > worth_pieces && (facts.even || !whole_basic_elements || room > INT_MAX)) {
        pieces = first_pieces(data, longest);
        piece_count = pieces.size();
        if (piece_count > 0) placement = Placement::pieces;
    }
}

std::size_t LargeReceive::bounce_bytes() const { return std::max(room, piggyback_policy.lengths.longest_headed()); }

std::size_t LargeReceive::space() const {
    const std::size_t buffer =
        placement == Placement::bounced ? bounce_bytes() : piggyback_policy.lengths.longest_headed();
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
    switch (large_receive.placement) {
    case Placement::direct:
        std::memcpy(large_receive.kept, large_receive.data.buffer, piggyback_policy.lengths.longest_headed());
        break;
    case Placement::pieces:
        first_bytes(large_receive, large_receive.kept, piggyback_policy.lengths.longest_headed());
        break;
    case Placement::bounced:
        break;
    }
}

Received finish_large_receive(MessageBuffer& message_buffer, MPI_Status& status, bool failed) {
    const std::uint64_t length = bytes_in(status);
    if (message_buffer.delivered.begin()) {
        const Form form = failed ? Form::bare : form_of_message(*message_buffer.large_receive, status, length);
        message_buffer.form = form;
        const std::uint64_t size = piggyback_policy.lengths.size_at(length);
        switch (form) {
        case Form::headed:
            message_buffer.lost = !deliver_headed(message_buffer, size);
            break;
        case Form::side_message:
            message_buffer.lost = !deliver_side_message(message_buffer, status, length, size);
            break;
        case Form::split:
            message_buffer.lost = !deliver_bare(message_buffer, length);
            message_buffer.headed = fetch_header(status, length, message_buffer.header);
            break;
        case Form::bare:
            message_buffer.lost = !deliver_bare(message_buffer, length);
            break;
        }
        message_buffer.delivered.end();
    }
    const Form form = message_buffer.form;
    const std::uint64_t size = form == Form::bare ? length : piggyback_policy.lengths.size_at(length);
    set_bytes(status, size);
    if (message_buffer.lost && !failed) return Received::truncated;
    switch (form) {
    case Form::headed:
        return Received::headed;
    case Form::side_message:
        return size <= message_buffer.large_receive->room ? Received::headed : Received::truncated;
    case Form::split:
        return message_buffer.headed ? Received::split : Received::bare;
    case Form::bare:
        break;
    }
    return failed ? Received::nothing : Received::bare;
}

} // namespace tactus
