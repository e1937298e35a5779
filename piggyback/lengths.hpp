// How long messages are on their way, and what a length says. The sender knows a message's size, the receiver only how
// much room there is: a receive with much room has to be the application's own buffer, or the MPI would copy a large
// message twice. So a message never takes more room than its size once that is beyond what travels with a header, and
// every length stands for one size, for MPI_Probe sees nothing else:
//
//   size                          on its way
//   0 .. 7, but 4                 the data alone; the header by another message
//   4, 8 .. most_headed           header and data
//   the next 24                   4 to 31 bytes that say which other message holds header and data
//   (mpi/side_message.hpp) more                          the data alone
//
// The lengths are a permutation of the sizes up to any that is larger than most_headed + 24. What is shorter than 4
// bytes could not say which other message is meant, so it is left to messages that need none. Pure.
#pragma once

#include "piggyback/header.hpp"

namespace tactus {

enum class Form : unsigned char { headed, split, side_message, bare };

struct Lengths {
    static constexpr std::uint64_t unlimited = std::uint64_t{1} << 62;

    std::uint64_t most_headed = unlimited; // bytes of data, at least 8
    bool all_split = false;                // no header comes before the data; most_headed is 0

    // Of a receive with so much room a message with a header takes less.
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
    // What is too short for a header is left as it is when every message has one.
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
    static constexpr std::uint64_t one_int = 4; // so common that it has a header

    static constexpr bool is_tiny(std::uint64_t size) { return size < unit && size != one_int; }
    // Each takes a length with the same remainder, for a receive in elements of 8 bytes takes no other; and the largest
    // the shortest.
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
