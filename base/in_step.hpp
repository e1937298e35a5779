// Compile-time checks of lists that must stay in step: the rows of a table with the enumerators that they describe, and
// the fields that a struct lists with its members.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

namespace tactus {

namespace detail {
// Compilers write a value that has no enumerator as a cast, "(Loss)13".
template <auto value> consteval bool is_enumerator() {
    const std::string_view name = __PRETTY_FUNCTION__;
    return name.find('(', name.find("value = ")) == std::string_view::npos;
}

template <class Row, class Enum, std::size_t... i>
consteval bool in_step(const Row* rows, Enum Row::*of, std::index_sequence<i...> /*all*/) {
    return ((static_cast<std::size_t>(rows[i].*of) == i && is_enumerator<static_cast<Enum>(i)>()) && ...) &&
           !is_enumerator<static_cast<Enum>(sizeof...(i))>();
}

struct Anything {
    template <class T> operator T() const; // never defined
};

// Storage for a T that holds no T: its members can be named, but not read.
template <class T> union Nothing {
    char none;
    T value;
    constexpr Nothing() : none{} {}
    constexpr ~Nothing() {}
};
template <class T> inline constexpr Nothing<T> nothing;
} // namespace detail

// Whether the i-th row belongs to the i-th enumerator, and every enumerator has a row. `of` is the member of a row that
// holds its enumerator.
template <class Row, class Enum, std::size_t size> consteval bool in_step(const Row (&rows)[size], Enum Row::*of) {
    return detail::in_step(rows, of, std::make_index_sequence<size>{});
}
template <template <class, std::size_t> class Array, class Row, class Enum, std::size_t size>
consteval bool in_step(const Array<Row, size>& rows, Enum Row::*of) {
    return detail::in_step(rows.data(), of, std::make_index_sequence<size>{});
}

// The number of members of an aggregate without bases and arrays: as many as it can be initialized with.
template <class T, class... Initial> consteval std::size_t member_count() {
    if constexpr (requires { T{Initial{}..., detail::Anything{}}; })
        return member_count<T, Initial..., detail::Anything>();
    else
        return sizeof...(Initial);
}

// The number of members that T::fields lists.
template <class T> consteval std::size_t field_count() {
    std::size_t count = 0;
    T::fields(detail::nothing<T>.value, [&](std::string_view /*name*/, const auto& /*member*/) { ++count; });
    return count;
}

} // namespace tactus
