// One-byte codes for NCCL's words. NCCL passes words as pointers to text inside its library, which may be unloaded.
// Here they are recognized by pointer, and each text is read once. Any thread may call this; it takes no lock and
// allocates nothing.
#pragma once

#include "collector/nccl/event.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus::nccl {

// The words that this plugin treats specially. Others get higher codes.
namespace word {
enum : Word {
    none,
    all_gather,
    all_reduce,
    all_to_all,
    broadcast,
    gather,
    recv,
    reduce,
    reduce_scatter,
    scatter,
    send_recv,
    send,
    known // how many functions there are above
};
} // namespace word

class Words {
  public:
    static constexpr std::size_t most = 256;
    static constexpr std::size_t longest = 31; // characters of a word that is not known beforehand

    // The code of a word; 0 for nullptr, and when there is no room for another word.
    Word code(const char* text) { // hot
        if (text == nullptr) return word::none;
        const Seen& seen = seen_[slot(text)];
        const std::uint64_t both = seen.both.load(std::memory_order_relaxed); // pointer and code are of the same write
        return both >> 8 == reinterpret_cast<std::uintptr_t>(text) ? static_cast<Word>(both & 0xff) : look_up(text);
    }
    // Called when NCCL may have been loaded again: the same pointers may then be other words.
    void forget_pointers() {
        for (Seen& seen : seen_) seen.both.store(0, std::memory_order_relaxed);
    }
    [[nodiscard]] std::string_view text(Word code) const;
    // Bytes of an element of a datatype. 1 for what NCCL calls "Unknown", which is ncclUint8 or newer than this table.
    [[nodiscard]] std::uint64_t size(Word datatype) const;

  private:
    // The pointer, which has no more than 56 bits, and the code.
    struct Seen {
        std::atomic<std::uint64_t> both{0};
    };
    static constexpr std::size_t seen_slots = 256;
    static std::size_t slot(const char* text) {
        const auto bits = reinterpret_cast<std::uintptr_t>(text);
        return (bits ^ bits >> 8) % seen_slots;
    }
    Word look_up(const char* text);

    struct New {
        std::atomic<int> state{0}; // 0 free, 1 being written, 2 there: release, pairs with acquire
        std::array<char, longest + 1> text{};
    };
    std::array<Seen, seen_slots> seen_;
    std::array<New, 64> new_;
};

extern Words words;

} // namespace tactus::nccl
