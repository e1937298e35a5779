// Columns of numbers, in which what is alike lies together: their sizes, then one behind the other. Pure.
#pragma once

#include "base/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tactus {

template <std::size_t n> void append_columns(Bytes& to, const std::array<Bytes, n>& columns) {
    for (const Bytes& column : columns) append_varint(to, column.size());
    for (const Bytes& column : columns) to.insert(to.end(), column.begin(), column.end());
}

// Nothing: they are not all there.
template <std::size_t n> std::optional<std::array<ByteView, n>> take_columns(ByteReader& from) {
    std::array<std::uint64_t, n> sizes{};
    for (std::uint64_t& size : sizes) size = from.varint();
    std::array<ByteView, n> columns;
    for (std::size_t i = 0; i < n; ++i) columns[i] = from.take(sizes[i]);
    if (!from.ok()) return {};
    return columns;
}

} // namespace tactus
