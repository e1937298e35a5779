// The binary layout of a picture: 4 bytes for the length of a text, the text, and then columns of numbers, each on a
// multiple of 8 bytes. Numbers are little-endian, as on this machine. Pure functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tactus {

struct NumberColumn {
    const char* name = nullptr;
    const char* type = nullptr; // the typed array of JavaScript that can hold it
    std::size_t length = 0;     // in elements
    std::string bytes;
};

class NumberColumns {
  public:
    template <class Number> void add(const char* name, const std::vector<Number>& numbers) {
        NumberColumn& column = columns_.emplace_back(NumberColumn{name, type_of(Number{}), numbers.size(), {}});
        column.bytes.resize(numbers.size() * sizeof(Number));
        if (!numbers.empty()) std::memcpy(column.bytes.data(), numbers.data(), column.bytes.size());
    }
    [[nodiscard]] const std::vector<NumberColumn>& all() const { return columns_; }
    // Returns the text followed by the columns.
    [[nodiscard]] std::string behind(const std::string& text) const {
        const auto length = static_cast<std::uint32_t>(text.size());
        std::size_t room = sizeof length + text.size();
        for (const NumberColumn& column : columns_) room += column.bytes.size() + 8;
        std::string all;
        all.reserve(room + 8);
        all.resize(sizeof length);
        std::memcpy(all.data(), &length, sizeof length);
        all += text;
        pad(all);
        for (const NumberColumn& column : columns_) {
            all += column.bytes;
            pad(all);
        }
        return all;
    }

  private:
    static void pad(std::string& bytes) { bytes.resize((bytes.size() + 7) & ~std::size_t{7}); }
    static const char* type_of(std::uint8_t) { return "Uint8Array"; }
    static const char* type_of(std::uint16_t) { return "Uint16Array"; }
    static const char* type_of(std::uint32_t) { return "Uint32Array"; }
    static const char* type_of(float) { return "Float32Array"; }
    static const char* type_of(double) { return "Float64Array"; }
    std::vector<NumberColumn> columns_;
};

} // namespace tactus
