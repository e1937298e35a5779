// The paths of functions that samples are in (trace/sample.hpp), each with a number. Tactus's own thread has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace tactus {

// The table has its room from the start, because memory may be refused later.
class SampledPaths {
  public:
    static constexpr std::size_t memory() { return slots * sizeof(Known); }
    [[nodiscard]] bool ready() const { return known_ != nullptr; }

    // Gives the path of these places, the innermost first, and calls `define` for each new one on the way.
    // Where there is no room for a new one it is 0, of no known callers, and `whole` becomes false.
    template <class Define>
    std::uint32_t number_of(std::span<const std::uint64_t> places, bool& whole, Define&& define) {
        std::uint32_t path = 0;
        for (std::size_t i = places.size(); i-- > 0;) {
            Known* const known = find(path, places[i]);
            if (known->number == 0) {
                if (count_ == most_paths) {
                    whole = false;
                    return 0;
                }
                *known = {.place = places[i], .callers = path, .number = ++count_};
                define(*known);
            }
            path = known->number;
        }
        return path;
    }
    struct Known {
        std::uint64_t place = 0;
        std::uint32_t callers = 0;
        std::uint32_t number = 0; // 0: this slot is free
    };

  private:
    static constexpr std::uint32_t most_paths = 1 << 13;
    static constexpr std::size_t slots = 2 * most_paths; // open addressing

    Known* find(std::uint32_t callers, std::uint64_t place) {
        const std::uint64_t hash = (place ^ std::uint64_t{callers} << 32) * 0x9e3779b97f4a7c15U;
        std::size_t slot = static_cast<std::size_t>(hash >> 40) % slots;
        while (known_[slot].number != 0 && (known_[slot].callers != callers || known_[slot].place != place))
            slot = (slot + 1) % slots;
        return &known_[slot];
    }
    std::unique_ptr<Known[]> known_{new (std::nothrow) Known[slots]};
    std::uint32_t count_ = 0;
};

} // namespace tactus
