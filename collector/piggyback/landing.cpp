#include "collector/piggyback/landing.hpp"

#include "collector/piggyback/apart.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>

namespace tactus {
namespace {

using Where = Landing::Where;

std::byte* user_of(const Landing& landing) { return static_cast<std::byte*>(const_cast<void*>(landing.data.buffer)); }

// Calls copy(place in the application's buffer, how far from the front, bytes) for what lies there from `begin` on.
template <class Copy> void visit(Landing& landing, std::size_t begin, std::size_t bytes, Copy copy) {
    const Piece* piece = landing.pieces();
    std::size_t at = 0; // packed
    for (std::size_t i = 0; i < landing.piece_count && at < begin + bytes; ++i, ++piece) {
        const std::size_t first = std::max(at, begin);
        const std::size_t last = std::min(at + piece->bytes, begin + bytes);
        if (first < last)
            copy(user_of(landing) + piece->at + static_cast<std::ptrdiff_t>(first - at), first, last - first);
        at += piece->bytes;
    }
}

// The first bytes that the MPI wrote, packed; into `space`, unless they are in one piece.
const std::byte* came_in(Landing& landing, std::byte* space, std::size_t bytes) {
    if (landing.where == Where::direct) return user_of(landing);
    if (landing.where == Where::bounced) return landing.kept;
    visit(landing, 0, bytes,
          [space](const std::byte* place, std::size_t at, std::size_t n) { std::memcpy(space + at, place, n); });
    return space;
}

// What was behind a message of so many bytes.
struct Behind {
    Behind(const Landing& landing, std::size_t size)
        : bytes{std::min(header_bytes, carrying.lengths.longest_headed() - size)} {
        if (landing.where != Where::bounced) std::memcpy(kept, landing.kept + size, bytes);
    }
    std::size_t bytes;
    std::byte kept[header_bytes]; // NOLINT: as many as there are
};

// The message, which may lie in the application's buffer, takes its place, and so does what was behind it.
void put(Landing& landing, const std::byte* message, std::size_t size, const Behind& behind) {
    const auto copy = [&](std::size_t begin, const std::byte* from, std::size_t bytes) {
        visit(landing, begin, bytes,
              [&](std::byte* place, std::size_t at, std::size_t n) { std::memcpy(place, from + (at - begin), n); });
    };
    switch (landing.where) {
    case Where::direct:
        std::memmove(user_of(landing), message, size);
        std::memcpy(user_of(landing) + size, behind.kept, behind.bytes);
        break;
    case Where::pieces:
        copy(0, message, size);
        copy(size, behind.kept, behind.bytes);
        break;
    case Where::bounced:
        unpack_part(message, size, landing.data);
        break;
    }
}

void land_apart(Parcel& parcel, const MPI_Status& status, std::size_t length, std::uint64_t size) {
    Landing& landing = *parcel.landing;
    std::byte mark[mark_bytes];
    Apart* const apart = fetch_apart(status, size, came_in(landing, mark, length), length);
    if (apart == nullptr) return;
    parcel.header = apart->front.header;
    const bool fits = size <= landing.room;
    const std::size_t taken = std::min(size, landing.room);
    if (fits || tells_truncated_length) put(landing, apart->data(), taken, {landing, taken});
    operator delete(apart);
}

void land_headed(Parcel& parcel, std::uint64_t size) {
    Landing& landing = *parcel.landing;
    const Behind behind{landing, size};
    const std::byte* const came = came_in(landing, landing.kept, header_bytes + size);
    std::memcpy(&parcel.header, came, header_bytes);
    put(landing, came + header_bytes, size, behind);
}

// It is where it belongs, unless that was out of reach.
void land_bare(Parcel& parcel, std::uint64_t length) {
    Landing& landing = *parcel.landing;
    parcel.header.send_id = 0; // something has come
    if (landing.where == Where::bounced) unpack_part(landing.kept, std::min(length, landing.room), landing.data);
}

} // namespace

Landing::Landing(const Data& wanted, std::uint64_t all, std::vector<Piece>& pieces)
    : data{wanted}, room{all}, where{Where::bounced}, piece_count{0}, kept{nullptr} {
    constexpr std::uint64_t worth_pieces = 65536; // bytes
    const std::size_t longest = carrying.lengths.longest_headed();
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

std::size_t Landing::bounce_bytes() const { return std::max(room, carrying.lengths.longest_headed()); }

std::size_t Landing::space() const {
    const std::size_t buffer = where == Where::bounced ? bounce_bytes() : carrying.lengths.longest_headed();
    return sizeof(Landing) + piece_count * sizeof(Piece) + buffer;
}

void prepare_landing(Parcel& parcel, const Landing& landing, const std::vector<Piece>& pieces) {
    auto* const made = new (parcel.data()) Landing{landing};
    std::copy(pieces.begin(), pieces.end(), made->pieces());
    made->kept = reinterpret_cast<std::byte*>(made->pieces() + pieces.size());
    parcel.landing = made;
}

void keep_front(Landing& landing) {
    switch (landing.where) {
    case Where::direct:
        std::memcpy(landing.kept, landing.data.buffer, carrying.lengths.longest_headed());
        break;
    case Where::pieces:
        came_in(landing, landing.kept, carrying.lengths.longest_headed());
        break;
    case Where::bounced:
        break;
    }
}

Came land(Parcel& parcel, MPI_Status& status, bool failed) {
    const std::uint64_t length = bytes_in(status);
    const Form form = failed ? Form::bare : carrying.lengths.form_at(length);
    const std::uint64_t size = failed ? length : carrying.lengths.size_at(length);
    if (parcel.taken_in.begin()) {
        switch (form) {
        case Form::headed:
            land_headed(parcel, size);
            break;
        case Form::apart:
            land_apart(parcel, status, length, size);
            break;
        case Form::beside:
            land_bare(parcel, length);
            parcel.headed = fetch_beside(status, length, parcel.header);
            break;
        case Form::bare:
            land_bare(parcel, length);
            break;
        }
        parcel.taken_in.end();
    }
    set_bytes(status, size);
    switch (form) {
    case Form::headed:
        return Came::headed;
    case Form::apart:
        return size <= parcel.landing->room ? Came::headed : Came::cut;
    case Form::beside:
        return parcel.headed ? Came::beside : Came::bare;
    case Form::bare:
        break;
    }
    return failed ? Came::nothing : Came::bare;
}

} // namespace tactus
