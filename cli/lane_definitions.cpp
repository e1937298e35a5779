#include "cli/lane_definitions.hpp"

#include <cstring>

namespace tactus {
namespace {

using Slots = std::vector<Record>;

// Words of the record at `at`, from the slots behind it.
std::vector<std::int64_t> words_behind(const Slots& slots, std::size_t at) {
    std::vector<std::int64_t> words;
    for (std::size_t slot = at + 1; words.size() < slots[at].what.words; ++slot) {
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

std::vector<Comm> comms_in(const LaneContents& lane) {
    std::vector<Comm> comms;
    for (const LaneContents::Block& block : lane.unwritten) collect(block.slots, comms);
    return comms;
}

} // namespace tactus
