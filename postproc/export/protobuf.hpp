// The part of the encoding of protocol buffers that exports need (protobuf.dev, "Encoding"): the fields of a message,
// one after the other. Pure.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tactus {

class Protobuf {
  public:
    Protobuf& number(std::uint32_t field, std::uint64_t value) {
        key(field, 0);
        varint(value);
        return *this;
    }
    Protobuf& fixed64(std::uint32_t field, std::uint64_t value) {
        key(field, 1);
        for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<char>(value >> shift));
        return *this;
    }
    Protobuf& floating(std::uint32_t field, double value) {
        return fixed64(field, std::bit_cast<std::uint64_t>(value));
    }
    Protobuf& text(std::uint32_t field, std::string_view value) {
        key(field, 2);
        varint(value.size());
        bytes_.append(value);
        return *this;
    }
    Protobuf& message(std::uint32_t field, const Protobuf& value) { return text(field, value.bytes_); }

    void clear() { bytes_.clear(); }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    void key(std::uint32_t field, std::uint32_t wire_type) { varint(std::uint64_t{field} << 3 | wire_type); }
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
        bytes_.push_back(static_cast<char>(value));
    }

    std::string bytes_;
};

} // namespace tactus
