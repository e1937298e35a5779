#include "cli/lane_comms.hpp"

#include "trace/lane_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace tactus {
namespace {

using Slots = std::vector<Record>;

// Words of the record at `at`, from the slots behind it.
std::vector<std::int64_t> words_behind(const Slots& slots, std::size_t at) {
    std::vector<std::int64_t> words;
    for (std::size_t slot = at + 1; slot < slots.size() && words.size() < slots[at].what.words; ++slot) {
        Continuation continuation;
        std::memcpy(static_cast<void*>(&continuation), &slots[slot], sizeof continuation);
        for (const std::int64_t word : continuation.words)
            if (words.size() < slots[at].what.words) words.push_back(word);
    }
    return words;
}

bool plausible(const Comm& comm, const Record& record) {
    return comm.number == record.what.comm && comm.size() > 0 && comm.my_rank < comm.size();
}

void collect(const Slots& slots, std::vector<Comm>& comms) {
    for (std::size_t i = 0; i < slots.size(); i += 1 + slots_of_words(slots[i].what.words)) {
        const Signature& what = slots[i].what;
        if (what.kind == Kind::comm) {
            Comm comm;
            if (from_words(words_behind(slots, i), comm) && plausible(comm, slots[i])) comms.push_back(std::move(comm));
        }
        if (what.kind != Kind::naming) continue;
        for (Comm& comm : comms)
            if (comm.number == what.comm) comm.name = text_in(words_behind(slots, i), what.bytes);
    }
}

} // namespace

std::vector<Comm> comms_in_lane(const std::string& path) {
    std::vector<Comm> comms;
    std::ifstream file{path, std::ios::binary};
    LaneHeader header;
    if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return comms;
    constexpr std::uint32_t most_slots = 1U << 20;
    if (header.magic != LaneHeader::magic_value || header.buffers > most_lane_buffers || header.slots > most_slots)
        return comms;
    for (std::uint32_t buffer = 0; buffer < header.buffers; ++buffer) {
        // Our own copy of the header, read before the slots are: pairs with nothing.
        const std::uint64_t filled = header.buffer[buffer].filled.load(std::memory_order_relaxed);
        Slots slots(std::min<std::uint64_t>(filled, header.slots));
        file.seekg(static_cast<std::streamoff>(lane_header_size + std::size_t{buffer} * header.slots * sizeof(Record)));
        if (!file.read(reinterpret_cast<char*>(slots.data()),
                       static_cast<std::streamsize>(slots.size() * sizeof(Record))))
            break;
        collect(slots, comms);
    }
    return comms;
}

} // namespace tactus
