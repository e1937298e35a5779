#include "collector/nccl/words.hpp"

#include <algorithm>
#include <cstring>

namespace tactus::nccl {

constinit Words words;

namespace {

struct Known {
    std::string_view text;
    std::uint8_t size; // of a datatype's element
};
// The first ones are in the order of word::.
constexpr auto known_words = std::to_array<Known>({{"", 0},
                                                   {"AllGather", 0},
                                                   {"AllReduce", 0},
                                                   {"AlltoAll", 0},
                                                   {"Broadcast", 0},
                                                   {"Gather", 0},
                                                   {"Recv", 0},
                                                   {"Reduce", 0},
                                                   {"ReduceScatter", 0},
                                                   {"Scatter", 0},
                                                   {"SendRecv", 0},
                                                   {"Send", 0},
                                                   {"AllGatherV", 0},
                                                   {"PutSignal", 0},
                                                   {"Signal", 0},
                                                   {"WaitSignal", 0},
                                                   {"Invalid", 0},
                                                   {"ncclInt8", 1},
                                                   {"ncclInt32", 4},
                                                   {"ncclUint32", 4},
                                                   {"ncclInt64", 8},
                                                   {"ncclUint64", 8},
                                                   {"ncclFloat16", 2},
                                                   {"ncclFloat32", 4},
                                                   {"ncclFloat64", 8},
                                                   {"ncclBfloat16", 2},
                                                   {"ncclFloat8e4m3", 1},
                                                   {"ncclFloat8e5m2", 1},
                                                   {"TREE", 0},
                                                   {"RING", 0},
                                                   {"COLLNET_DIRECT", 0},
                                                   {"COLLNET_CHAIN", 0},
                                                   {"NVLS", 0},
                                                   {"NVLS_TREE", 0},
                                                   {"PAT", 0},
                                                   {"LL", 0},
                                                   {"LL128", 0},
                                                   {"SIMPLE", 0},
                                                   {"Unknown", 0}});
static_assert(known_words[word::send].text == "Send" && known_words[word::all_reduce].text == "AllReduce");

} // namespace

Word Words::look_up(const char* text) {
    const std::size_t size = strnlen(text, longest);
    const std::string_view wanted{text, size};
    std::size_t code = 0;
    for (std::size_t i = 1; i < known_words.size() && code == 0; ++i)
        if (known_words[i].text == wanted) code = i;
    for (std::size_t i = 0; i < new_.size() && code == 0; ++i) {
        int state = new_[i].state.load(std::memory_order_acquire);
        if (state == 0 && new_[i].state.compare_exchange_strong(state, 1, std::memory_order_acquire)) {
            wanted.copy(new_[i].text.data(), size);
            new_[i].state.store(state = 2, std::memory_order_release);
        }
        if (state == 1) break; // another thread writes it, perhaps this very word
        if (state == 2 && wanted == new_[i].text.data()) code = known_words.size() + i;
    }
    const auto both = reinterpret_cast<std::uintptr_t>(text) << 8 | code;
    if (code != 0) seen_[slot(text)].both.store(both, std::memory_order_relaxed);
    return static_cast<Word>(code);
}

std::string_view Words::text(Word code) const {
    if (code < known_words.size()) return known_words[code].text;
    const std::size_t index = code - known_words.size();
    if (index >= new_.size() || new_[index].state.load(std::memory_order_acquire) != 2) return {};
    return new_[index].text.data();
}

std::uint64_t Words::size(Word datatype) const {
    const std::uint64_t size = datatype < known_words.size() ? known_words[datatype].size : 0;
    return std::max<std::uint64_t>(size, 1);
}

} // namespace tactus::nccl
