#include "trace/lane_contents.hpp"

#include "base/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tactus {
namespace {

constexpr std::uint32_t most_slots = 1U << 20;

bool sound(const LaneHeader& header, std::uint64_t size) {
    return header.magic == LaneHeader::magic_value && header.buffers > 0 && header.buffers <= most_lane_buffers &&
           header.slots > 0 && header.slots <= most_slots && lane_size(header.buffers, header.slots) <= size &&
           header.active.load() < header.buffers && header.nesting.load() <= most_nested_calls;
}

bool sound(const Record& record) {
    return record.enter != 0 && static_cast<std::size_t>(record.what.function) < function_count &&
           static_cast<std::size_t>(record.what.kind) < kind_count;
}

// Counts the slots, from the first on, that are whole records with all their continuations.
std::size_t sound_slots(const std::vector<Record>& slots) {
    std::size_t at = 0;
    while (at < slots.size()) {
        const Record& record = slots[at];
        const std::size_t next = at + 1 + slots_of_words(record.what.words);
        if (!sound(record) || record.leave < record.enter || next > slots.size()) break;
        at = next;
    }
    return at;
}

// Whether the buffer held the same block, still unwritten, before and after the reading. A block only grows: where it
// did not, the slots were counted before the sequence changed.
bool same_block(const LaneBuffer& before, const LaneBuffer& after) {
    return before.sequence.load() == after.sequence.load() && after.written.load() != after.sequence.load() &&
           after.filled.load() >= before.filled.load();
}

class Reading {
  public:
    Reading(const ReadLane& read, std::uint64_t size) : read_{read}, size_{size} {}

    // Gives nothing when the bytes could not be read or are not a lane.
    std::optional<LaneContents> once() {
        if (!look(&before_, sizeof before_, 0) || !sound(before_, size_)) return {};
        contents_ = {.job = before_.job,
                     .rank = before_.rank,
                     .lane = before_.lane,
                     .pid = before_.pid,
                     .tid = before_.tid,
                     .trace = {before_.trace, strnlen(before_.trace, longest_trace_path)},
                     .closed = before_.closed.load() != 0,
                     .lost = before_.lost.load(),
                     .slots_per_buffer = before_.slots,
                     .unwritten = {},
                     .open = {},
                     .regions = {},
                     .last_leave = before_.turned.load(),
                     .alive = before_.alive.load(),
                     .unprotected = before_.unprotected.load()};
        const std::uint64_t active = before_.active.load();
        const LaneBuffer& filling = before_.buffer[active];
        contents_.next_sequence = filling.sequence.load() - (filling.filled.load() == 0 ? 1 : 0);
        Record slot{};
        if (!take_buffers() || !take_open(active, slot) || !look(&after_, sizeof after_, 0)) return {};
        settle(active, slot);
        return std::move(contents_);
    }

  private:
    // A part of the lane is read as a whole, in no order. What is looked at later is not older than that. The fence
    // pairs with the owner's stores with release, and with its fences.
    bool look(void* to, std::size_t size, std::uint64_t offset) {
        const bool all = read_(to, size, offset);
        std::atomic_thread_fence(std::memory_order_acquire);
        return all;
    }

    bool take_buffers() {
        for (std::uint32_t i = 0; i < before_.buffers; ++i) {
            const LaneBuffer& buffer = before_.buffer[i];
            const std::uint64_t sequence = buffer.sequence.load();
            if (sequence == 0 || sequence == buffer.written.load()) continue;
            LaneContents::Block block{sequence - 1, {}};
            block.slots.resize(std::min<std::uint64_t>(buffer.filled.load(), before_.slots));
            if (!look(block.slots.data(), block.slots.size() * sizeof(Record), offset_of(i, 0))) return false;
            buffer_of_[contents_.unwritten.size()] = i;
            contents_.unwritten.push_back(std::move(block));
        }
        return true;
    }

    // The enter tick is stored last, so a second look finds what belongs to the tick that the first one found.
    bool take_open(std::uint64_t active, Record& slot) {
        const std::uint64_t filled = before_.buffer[active].filled.load();
        if (filled >= before_.slots) return true;
        Record first{};
        if (!look(&first, sizeof first, offset_of(active, filled)) ||
            !look(&slot, sizeof slot, offset_of(active, filled)))
            return false;
        same_call_ = first.enter == slot.enter;
        return true;
    }

    // Leaves out what was written or overwritten meanwhile, and what makes no sense.
    void settle(std::uint64_t active, const Record& slot) {
        contents_.steady = same_call_ && after_.active.load() == active &&
                           after_.buffer[active].filled.load() == before_.buffer[active].filled.load() &&
                           after_.nesting.load() == before_.nesting.load();
        std::vector<LaneContents::Block> kept;
        for (std::size_t i = 0; i < contents_.unwritten.size(); ++i) {
            LaneContents::Block& block = contents_.unwritten[i];
            const std::uint32_t buffer = buffer_of_[i];
            if (!same_block(before_.buffer[buffer], after_.buffer[buffer])) continue;
            const std::size_t good = sound_slots(block.slots);
            contents_.unsound += block.slots.size() - good;
            block.slots.resize(good);
            if (good > 0) kept.push_back(std::move(block));
        }
        std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
        contents_.unwritten = std::move(kept);
        if (const Record* const latest = contents_.latest())
            contents_.last_leave = std::max(contents_.last_leave, latest->leave);
        if (contents_.closed) return;
        settle_open(slot);
        settle_regions();
    }

    void settle_open(const Record& slot) {
        const bool live = slot.enter > contents_.last_leave || slot.enter == before_.resumed.load();
        if (live && sound(slot) && slot.what.kind == Kind::call) contents_.open.push_back(slot);
        for (std::uint64_t level = before_.nesting.load(); level > 0; --level) {
            const Record& outer = after_.outer[level - 1]; // which is there since `nesting` said so
            if (!sound(outer)) continue;
            const bool again = !contents_.open.empty() && contents_.open.back().enter == outer.enter;
            if (again) contents_.open.pop_back(); // it is moving back to the slot, and was found in both places
            contents_.open.push_back(outer);
        }
    }

    // A region that began or ended while the lane was read is left out.
    void settle_regions() {
        const std::uint64_t open = std::min(before_.regions.load(), after_.regions.load());
        for (std::uint64_t i = std::min<std::uint64_t>(open, most_shown_regions); i > 0; --i) {
            const LaneRegion& region = after_.region[i - 1]; // the rest is there since the enter tick was
            const Ticks enter = region.enter.load();
            if (enter == 0 || enter != before_.region[i - 1].enter.load()) continue;
            Record record{};
            record.enter = enter;
            record.what = {.place = region.place, .tag = region.scl, .type = region.symbol, .kind = Kind::region};
            contents_.regions.push_back(record);
        }
    }

    [[nodiscard]] std::uint64_t offset_of(std::uint64_t buffer, std::uint64_t slot) const {
        return lane_header_size + (buffer * before_.slots + slot) * sizeof(Record);
    }

    const ReadLane& read_;
    std::uint64_t size_;
    LaneHeader before_;
    LaneHeader after_;
    LaneContents contents_;
    bool same_call_ = true; // in the slot, at both looks
    std::uint32_t buffer_of_[most_lane_buffers] = {};
};

} // namespace

void for_each_record(const std::vector<Record>& slots, const TakeRecord& take) {
    std::vector<std::int64_t> words;
    for (std::size_t at = 0; at < slots.size();) {
        const Record& record = slots[at++];
        words.clear();
        while (words.size() < record.what.words) {
            Continuation more;
            std::memcpy(static_cast<void*>(&more), &slots[at++], sizeof more);
            const std::size_t left = record.what.words - words.size();
            words.insert(words.end(), more.words, more.words + std::min(left, words_per_slot));
        }
        take(record, words);
    }
}

const Record* LaneContents::latest() const {
    if (unwritten.empty()) return nullptr;
    const std::vector<Record>& slots = unwritten.back().slots;
    std::size_t at = 0;
    while (at + 1 + slots_of_words(slots[at].what.words) < slots.size()) at += 1 + slots_of_words(slots[at].what.words);
    return &slots[at];
}

Result<LaneContents> read_lane(const ReadLane& read, std::uint64_t size) {
    constexpr int attempts = 20;
    std::optional<LaneContents> contents;
    for (int attempt = 0; attempt < attempts && (!contents || !contents->steady); ++attempt) {
        contents = Reading{read, size}.once();
        if (!contents) return Error{"this is not a lane of a traced process"};
    }
    return std::move(*contents);
}

Result<LaneContents> read_lane(const std::string& path) {
    const InputFile file{path};
    if (!file.good()) return Error{.what = "cannot be opened: " + std::string{strerror(errno)}, .file = path};
    if (!file.regular()) return Error{.what = "is not a regular file", .file = path};
    auto contents = read_lane(
        [&file](void* to, std::size_t size, std::uint64_t offset) { return file.read(to, size, offset); }, file.size());
    if (!contents) contents.error().file = path;
    return contents;
}

std::vector<Record> ended_at(const LaneContents& lane, Ticks end) {
    std::vector<Record> calls = lane.open;
    calls.insert(calls.end(), lane.regions.begin(), lane.regions.end()); // no region begins inside a call
    Ticks leave = std::max(end, lane.last_leave + 1);
    for (Record& call : calls) {
        leave = std::max(leave, call.enter) + 1;
        call.leave = leave;
        call.what.flags |= flag::unfinished;
        call.what.words = 0;
    }
    return calls;
}

} // namespace tactus
