// The size of a message is the number of bytes of the application's data, and its length is the number of bytes on the
// wire. This file holds the rule that maps one to the other. The sender knows the size, but the receiver knows only how
// much room its buffer has. A receive with much room must use the application's own buffer, or a large message would be
// copied twice. So the length never exceeds the size once the size is too large for a header. And each length stands
// for exactly one size, because MPI_Probe sees nothing but the length:
//
//   size                      on the wire
//   0 .. 7, but not 4         the data alone; the header is a separate message
//   4, 8 .. most_headed       header and data
//   the next 32 sizes         4 to 39 bytes that name the side message with header and data (mpi/side_message.hpp)
//   all larger sizes          the data alone
//
// For each N larger than most_headed + 32, the lengths of the sizes up to N are a permutation of these sizes. A message
// shorter than 4 bytes has no room for the name of a side message, so these lengths belong to sizes that need none.
// All functions are pure.
#pragma once

#include "piggyback/header.hpp"

namespace tactus {

enum class Form : unsigned char { headed, split, side_message, bare };

struct Lengths {
    static constexpr std::uint64_t unlimited = std::uint64_t{1} << 62;

    std::uint64_t most_headed = unlimited; // largest size with a header, in bytes; at least 8
    bool all_split = false;                // every header is a separate message; most_headed is then 0

    // The length in bytes of the longest message with a header.
    [[nodiscard]] constexpr std::uint64_t longest_headed() const { return most_headed + header_bytes; }

    [[nodiscard]] constexpr Form form_of(std::uint64_t size) const {
        if (size >= unit && size <= most_headed) [[likely]]
            return Form::headed;
        if (all_split) return Form::split;
        if (most_headed == unlimited) return Form::headed;
        if (is_tiny(size)) return Form::split;
        if (size <= most_headed) return Form::headed;
        return size <= longest_headed() ? Form::side_message : Form::bare;
    }
    [[nodiscard]] constexpr std::uint64_t length_of(std::uint64_t size) const {
        switch (form_of(size)) {
        case Form::headed:
            return size + header_bytes;
        case Form::side_message:
            return length_with_side_message(size);
        case Form::split:
        case Form::bare:
            break;
        }
        return size;
    }
    // The inverse: gives the form from the length. When every message has a header, a message that is too short for one
    // counts as bare.
    [[nodiscard]] constexpr Form form_at(std::uint64_t length) const {
        if (length >= unit + header_bytes && length <= longest_headed()) [[likely]]
            return Form::headed;
        if (all_split) return Form::split;
        if (most_headed == unlimited) return length < header_bytes ? Form::bare : Form::headed;
        if (is_tiny(length)) return Form::split;
        if (length > longest_headed()) return Form::bare;
        return length == one_int + header_bytes ? Form::headed : Form::side_message;
    }
    [[nodiscard]] constexpr std::uint64_t size_at(std::uint64_t length) const {
        switch (form_at(length)) {
        case Form::headed:
            return length - header_bytes;
        case Form::side_message:
            return size_with_side_message(length);
        case Form::split:
        case Form::bare:
            break;
        }
        return length;
    }

  private:
    static constexpr std::uint64_t unit = 8;
    static constexpr std::uint64_t one_int = 4; // This size is so common that it has a header.

    static constexpr bool is_tiny(std::uint64_t size) { return size < unit && size != one_int; }
    // A size that needs a side message gets a length with the same remainder modulo 8, because a receive in elements of
    // 8 bytes accepts no other. Among the sizes with the same remainder, the largest gets the shortest length.
    static constexpr std::uint64_t shortest(std::uint64_t remainder) {
        return remainder == one_int ? one_int : unit + remainder;
    }
    [[nodiscard]] constexpr std::uint64_t length_with_side_message(std::uint64_t size) const {
        return shortest(size % unit) + (longest_headed() - size) / unit * unit;
    }
    [[nodiscard]] constexpr std::uint64_t size_with_side_message(std::uint64_t length) const {
        const std::uint64_t last = longest_headed() - (length - shortest(length % unit));
        return last - (last - length) % unit;
    }
};

} // namespace tactus
