// Finds a definition by its number. Each list of definitions is sorted by number and has each number once. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tactus {

// Gives nullptr when nothing has that number.
template <class T> const T* defined(const std::vector<T>& list, std::uint64_t number) {
    const auto found =
        std::lower_bound(list.begin(), list.end(), number,
                         [](const T& definition, std::uint64_t wanted) { return definition.number < wanted; });
    return found != list.end() && found->number == number ? &*found : nullptr;
}

} // namespace tactus
