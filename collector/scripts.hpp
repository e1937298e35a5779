// The places in a program of Python that samples are in, each with a number (trace/sample.hpp). Tactus's own thread has
// them. Nothing is allocated once they are made.
#pragma once

#include "sampling/python.hpp"
#include "trace/sample.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>

namespace tactus {

class Scripts {
  public:
    static constexpr std::size_t longest_name = 256; // of a file, and of a function
    explicit Scripts(const Python& python) : python_{python} {}
    static constexpr std::size_t memory() { return slots * sizeof(Number) + most_seen * sizeof(LastSeen); }
    [[nodiscard]] bool ready() const { return numbers_ != nullptr && seen_ != nullptr; }

    // Calls `take` with the place of each frame, 0 where it is not known, and `define` before with each place that is
    // new: with its number, and where it is.
    template <class Define, class Take>
    void each_place(std::span<const PythonFrame> frames, Define&& define, Take&& take) {
        std::array<std::uint64_t, most_memory_parts> identities{};
        python_.identify(frames, identities);
        for (std::size_t i = 0; i < frames.size(); ++i)
            take(identities[i] != 0 ? place_of(frames[i], identities[i], define) : 0);
    }

  private:
    static constexpr std::uint32_t most_scripts = 1 << 12;
    static constexpr std::size_t most_seen = 1024;
    static constexpr std::size_t slots = 2 * most_scripts; // open addressing
    struct LastSeen { // so that a frame that is seen again need not be described again
        PythonFrame frame;
        std::uint64_t identity = 0;
        std::uint64_t place = 0;
    };
    struct Number {
        std::uint64_t hash = 0;
        std::uint32_t number = 0; // 0: this slot is free
    };

    template <class Define> std::uint64_t place_of(const PythonFrame& frame, std::uint64_t identity, Define& define) {
        LastSeen& known = seen_[(frame.code ^ frame.instruction * 31) / 16 % most_seen];
        if (known.frame == frame && known.identity == identity) return known.place;
        pages_.forget();
        std::array<char, 2 * longest_name> room;
        PythonLine line;
        if (!python_.describe(frame, pages_, room, line)) return 0;
        Number* const number = find(hash_of(line));
        if (number->number == 0) {
            if (count_ == most_scripts) return 0;
            number->number = ++count_;
            define(sampled::script_places | number->number, line);
        }
        known = {.frame = frame, .identity = identity, .place = sampled::script_places | number->number};
        return known.place;
    }
    static std::uint64_t hash_of(const PythonLine& line) {
        std::uint64_t hash = 0xcbf29ce484222325 ^ line.line; // FNV-1a
        for (const std::string_view text : {line.function, line.file}) {
            for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
            hash = (hash ^ 0xff) * 0x100000001b3;
        }
        return hash;
    }
    Number* find(std::uint64_t hash) {
        std::size_t slot = static_cast<std::size_t>(hash >> 40) % slots;
        while (numbers_[slot].number != 0 && numbers_[slot].hash != hash) slot = (slot + 1) % slots;
        numbers_[slot].hash = hash;
        return &numbers_[slot];
    }

    const Python& python_;
    std::unique_ptr<Number[]> numbers_{new (std::nothrow) Number[slots]};
    std::unique_ptr<LastSeen[]> seen_{new (std::nothrow) LastSeen[most_seen]};
    std::uint32_t count_ = 0;
    Pages pages_;
};

} // namespace tactus
