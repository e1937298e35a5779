// Appends to byte strings, and reads them with bounds checks: LEB128 varints, zigzag for signed numbers, little-endian
// words. Everything is pure. A reader never goes past its end: a read that would makes `ok()` false for good, and that
// read and all later ones give zeros.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tactus {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

constexpr std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>((value >> 1) ^ (0 - (value & 1)));
}

constexpr std::size_t longest_varint = 10;

// Writes the number at `out`, which has room for longest_varint bytes, and returns the address after its last byte.
inline std::uint8_t* put_varint(std::uint8_t* out, std::uint64_t value) {
    while (value >= 0x80) {
        *out++ = static_cast<std::uint8_t>(value | 0x80);
        value >>= 7;
    }
    *out++ = static_cast<std::uint8_t>(value);
    return out;
}

inline void append_varint(Bytes& out, std::uint64_t value) {
    std::uint8_t room[longest_varint];
    out.insert(out.end(), room, put_varint(room, value));
}

template <class T>
requires std::is_trivially_copyable_v<T>
void append_raw(Bytes& out, const T& value) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
    out.insert(out.end(), first, first + sizeof value);
}

class ByteReader {
  public:
    explicit ByteReader(ByteView bytes) : at_{bytes.data()}, end_{bytes.data() + bytes.size()} {}

    // Short varints are not read byte by byte: their lengths vary without a pattern that branch prediction could learn.
    [[gnu::always_inline]] std::uint64_t varint() {
        std::uint64_t eight = 0;
        if (left() < sizeof eight) return varint_by_byte();
        if (*at_ < 0x80) return *at_++;
        std::memcpy(&eight, at_, sizeof eight);
        const std::uint64_t ends = ~eight & 0x8080808080808080U;
        if (ends == 0) return varint_by_byte();
        at_ += static_cast<unsigned>(std::countr_zero(ends)) / 8 + 1;
        eight &= ends ^ (ends - 1); // keeps the bytes up to the first that ends a number
        eight = (eight & 0x7f007f007f007f00U) >> 1 | (eight & 0x007f007f007f007fU);
        eight = (eight & 0x3fff00003fff0000U) >> 2 | (eight & 0x00003fff00003fffU);
        return (eight & 0x0fffffff00000000U) >> 4 | (eight & 0x000000000fffffffU);
    }
    std::int64_t signed_varint() { return unzigzag(varint()); }

    // Gives the next `size` bytes as a view into the source. When there are fewer, the view is empty and ok() is false.
    ByteView take(std::uint64_t size) {
        if (size > left()) {
            fail();
            return {};
        }
        const ByteView view{at_, static_cast<std::size_t>(size)};
        at_ += size;
        return view;
    }
    template <class T>
    requires std::is_trivially_copyable_v<T> T raw() {
        T value{};
        const ByteView view = take(sizeof value);
        if (view.size() == sizeof value) std::memcpy(&value, view.data(), sizeof value);
        return value;
    }

    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] bool ok() const { return ok_; }
    std::uint64_t fail() {
        ok_ = false;
        at_ = end_;
        return 0;
    }

  private:
    [[gnu::noinline]] std::uint64_t varint_by_byte() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ == end_) break;
            const std::uint8_t byte = *at_++;
            if (shift == 63 && byte > 1) break;
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        return fail();
    }

    const std::uint8_t* at_;
    const std::uint8_t* end_;
    bool ok_ = true;
};

} // namespace tactus
