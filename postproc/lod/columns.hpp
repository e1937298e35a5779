// Stores numbers as columns, which compress well because similar numbers lie together. The sizes of all columns come
// first, then the columns one after the other. Pure.
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

// Returns nothing when the columns are cut off.
template <std::size_t n> std::optional<std::array<ByteView, n>> take_columns(ByteReader& from) {
    std::array<std::uint64_t, n> sizes{};
    for (std::uint64_t& size : sizes) size = from.varint();
    std::array<ByteView, n> columns;
    for (std::size_t i = 0; i < n; ++i) columns[i] = from.take(sizes[i]);
    if (!from.ok()) return {};
    return columns;
}

} // namespace tactus
