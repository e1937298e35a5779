// Any struct that lists its members in `fields()` can be written, read back and described. Pure.
//
// On disk: unsigned numbers, booleans and enumerations are varints, signed ones zigzag varints, doubles eight bytes,
// strings and lists a varint count and their content, a struct its byte length and its fields in order. New fields are
// appended: a reader skips what it does not know by the length, and leaves at its default what an older writer did not
// have.
#pragma once

#include "base/bytes.hpp"
#include "base/in_step.hpp"

#include <string>
#include <type_traits>
#include <vector>

namespace tactus {

template <class T>
concept HasFields = requires(T& value) {
    T::fields(value, [](const char*, auto&) {});
};

template <class T> inline constexpr bool is_list = false;
template <class T> inline constexpr bool is_list<std::vector<T>> = true;

template <class T> void write_value(Bytes& out, const T& value) {
    if constexpr (HasFields<T>) {
        static_assert(field_count<T>() == member_count<T>(), "fields() lists every member");
        Bytes body;
        T::fields(value, [&](const char*, const auto& member) { write_value(body, member); });
        append_varint(out, body.size());
        out.insert(out.end(), body.begin(), body.end());
    } else if constexpr (is_list<T>) {
        append_varint(out, value.size());
        for (const auto& item : value) write_value(out, item);
    } else if constexpr (std::is_same_v<T, std::string>) {
        append_varint(out, value.size());
        out.insert(out.end(), value.begin(), value.end());
    } else if constexpr (std::is_enum_v<T>) {
        append_varint(out, static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
        append_raw(out, value);
    } else if constexpr (std::is_signed_v<T>) {
        append_varint(out, zigzag(value));
    } else {
        append_varint(out, value);
    }
}

// `memory` is the number of bytes that the items of all lists in the value may still take, so that a damaged length
// cannot ask for any amount.
template <class T> void read_value(ByteReader& in, T& value, std::uint64_t& memory) {
    if constexpr (HasFields<T>) {
        ByteReader body{in.take(in.varint())};
        T::fields(value, [&](const char*, auto& member) {
            if (body.left() > 0) read_value(body, member, memory);
        });
        if (!body.ok()) in.fail();
    } else if constexpr (is_list<T>) {
        const std::uint64_t count = in.varint();
        constexpr std::uint64_t item_size = sizeof(typename T::value_type);
        if (count > in.left() || count > memory / item_size) { // every item takes at least a byte
            in.fail();
            return;
        }
        memory -= count * item_size;
        value.clear();
        value.reserve(count);
        for (std::uint64_t i = 0; i < count && in.ok(); ++i) read_value(in, value.emplace_back(), memory);
    } else if constexpr (std::is_same_v<T, std::string>) {
        const ByteView view = in.take(in.varint());
        value.assign(view.begin(), view.end());
    } else if constexpr (std::is_floating_point_v<T>) {
        value = in.raw<T>();
    } else if constexpr (std::is_signed_v<T>) {
        value = static_cast<T>(in.signed_varint());
    } else {
        value = static_cast<T>(in.varint());
    }
}

// An item takes at most a few times the memory of its bytes on disk; this leaves room for every struct of tactus.
template <class T> void read_value(ByteReader& in, T& value) {
    std::uint64_t memory = (std::uint64_t{1} << 20) + 16 * in.left();
    read_value(in, value, memory);
}

// Calls `take` with each member of `a` and the same member of `b`.
template <class T, class Take> void each_field_of_two(T& a, T& b, const Take& take) {
    std::size_t index = 0;
    T::fields(a, [&](const char*, auto& member) {
        std::size_t other_index = 0;
        T::fields(b, [&](const char*, auto& other) {
            if constexpr (std::is_same_v<decltype(member), decltype(other)>)
                if (other_index == index) take(member, other);
            ++other_index;
        });
        ++index;
    });
}

// "name:type name:type ...", the description a file carries of each struct in it. Types: u unsigned, i signed, d
// double, s string, {} struct, [] list.
template <class T> std::string describe_fields() {
    std::string text;
    T sample{};
    T::fields(sample, [&]<class M>(const char* name, M&) {
        if (!text.empty()) text += ' ';
        text += name;
        if constexpr (HasFields<M>)
            text += ":{}";
        else if constexpr (is_list<M>)
            text += ":[]";
        else if constexpr (std::is_same_v<M, std::string>)
            text += ":s";
        else if constexpr (std::is_floating_point_v<M>)
            text += ":d";
        else
            text += std::is_signed_v<M> ? ":i" : ":u";
    });
    return text;
}

} // namespace tactus
