#include "trace/rank_file.hpp"

#include "trace/defined.hpp"
#include "trace/definer.hpp"
#include "trace/fields.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <tuple>

namespace tactus {

namespace {
// A block is read together with its header: all of it, up to this many bytes, if it is known where the next one begins,
constexpr std::uint64_t most_at_once = 1 << 18;
// and otherwise this many bytes.
constexpr std::uint64_t least_at_once = 1 << 13;
} // namespace

Error RankFile::at(Error error, std::uint64_t offset) const {
    error.file = path_;
    error.offset = offset;
    return error;
}

Result<Bytes> RankFile::content(std::uint64_t offset, BlockHeader& header) const {
    if (offset > size_ || size_ - offset < sizeof header)
        return at(Error{"the file ends inside a block's header"}, offset);
    // Where the next block begins is mostly known, so header and payload are read at once.
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const std::uint64_t room = next != starts_.end() ? *next - offset : size_ - offset;
    Bytes block(std::min<std::uint64_t>(room, next != starts_.end() ? most_at_once : least_at_once));
    if (block.size() < sizeof header || !input_->read(block.data(), block.size(), offset))
        return at(Error{"the file ends inside a block's header"}, offset);
    std::memcpy(&header, block.data(), sizeof header);
    if (auto sound = check_header(header, size_ - offset); !sound) return at(sound.error(), offset);
    if (header.stored_size > room - sizeof header) return at(Error{"the block reaches into the next one"}, offset);
    const std::size_t first = block.size();
    block.resize(sizeof header + header.stored_size);
    if (block.size() > first && !input_->read(block.data() + first, block.size() - first, offset + first))
        return at(Error{"the file ends inside a block"}, offset);
    auto bytes = unpack_block(header, ByteView{block}.subspan(sizeof header));
    if (!bytes) return at(bytes.error(), offset);
    return bytes;
}

namespace {
template <class T> bool read_whole(ByteView content, T& value) {
    ByteReader in{content};
    read_value(in, value);
    return in.ok();
}
} // namespace

Result<RankFile> RankFile::open(const std::string& path) {
    RankFile file;
    file.path_ = path;
    file.input_ = std::make_shared<InputFile>(path);
    if (!file.input_->good()) return Error{.what = "cannot be opened: " + std::string{strerror(errno)}, .file = path};
    file.size_ = file.input_->size();
    if (!file.input_->regular()) return Error{.what = "is not a regular file", .file = path};
    BlockHeader block;
    auto first = file.content(0, block);
    if (!first) {
        Error error = first.error();
        if (block.magic != BlockHeader::magic_value)
            error = Error{.what = "this is not a rank file of tactus", .file = path, .offset = 0};
        return error;
    }
    if (block.kind != BlockKind::header || !read_whole(*first, file.header_))
        return file.at(Error{"the file does not begin with a header block"}, 0);
    Tail tail;
    file.closed_ = file.size_ > sizeof tail && file.input_->read(&tail, sizeof tail, file.size_ - sizeof tail) &&
                   tail.magic == tail_magic;
    if (file.closed_) {
        if (auto done = file.read_by_index(tail.index_offset); !done) {
            keep_error(file.damage_, done.error());
            file.closed_ = false;
        }
    }
    if (!file.closed_) file.scan();
    file.sort_definitions();
    if (!file.closed_ || !file.repeats_all_comms()) file.collect_from_records();
    file.settle();
    return file;
}

IndexEntry entry_of(const BlockHeader& block, std::uint64_t offset) {
    return {offset, block.kind, block.lane, block.sequence, block.first, block.last, block.records, block.calls};
}

Outcome RankFile::read_index_part(std::uint64_t offset, Index& part) const {
    BlockHeader block;
    auto bytes = content(offset, block);
    if (!bytes) return bytes.error();
    if (block.kind != BlockKind::index || !read_whole(*bytes, part))
        return at(Error{"the index of blocks cannot be read"}, offset);
    if (part.previous >= offset) return at(Error{"the index of blocks leads in a circle"}, offset);
    return Done{};
}

// Follows the index from its last part to the first. Each part must lie before the part that leads to it.
Outcome RankFile::read_index(std::uint64_t index_offset) {
    std::uint64_t offset = index_offset;
    do {
        Index part;
        if (auto done = read_index_part(offset, part); !done) return done;
        all_blocks_.insert(all_blocks_.end(), part.blocks.rbegin(), part.blocks.rend());
        if (all_blocks_.size() > size_ / sizeof(BlockHeader))
            return at(Error{"the index names more blocks than fit into the file"}, offset);
        offset = part.previous;
    } while (offset != 0);
    std::reverse(all_blocks_.begin(), all_blocks_.end());
    sound_end_ = index_offset;
    if (take_starts(index_offset)) return Done{};
    return at(Error{"the index names blocks that are not one behind the other in the file"}, index_offset);
}

Outcome RankFile::read_by_index(std::uint64_t index_offset) {
    if (auto done = read_index(index_offset); !done) return done;
    for (const IndexEntry& entry : all_blocks_) {
        if (entry.kind == BlockKind::records) blocks_.push_back(entry);
        if (entry.kind != BlockKind::definitions) continue;
        BlockHeader block;
        auto definitions = content(entry.offset, block);
        if (!definitions) return definitions.error();
        if (block.kind != BlockKind::definitions || block.job != header_.job)
            return at(Error{"the index points to something else than it says"}, entry.offset);
        if (auto taken = take_definitions(*definitions, entry.offset); !taken) return taken;
    }
    return Done{};
}

// Blocks must lie in the file in the order of its index, so that none is named twice or lies inside another.
bool RankFile::take_starts(std::uint64_t index_offset) {
    std::uint64_t least = 0;
    for (const IndexEntry& entry : all_blocks_) {
        const bool room = index_offset >= sizeof(BlockHeader) && entry.offset <= index_offset - sizeof(BlockHeader);
        if (entry.offset < least || !room || entry.offset % 8 != 0) return false;
        starts_.push_back(entry.offset);
        least = entry.offset + sizeof(BlockHeader);
    }
    starts_.push_back(index_offset);
    return true;
}

Outcome RankFile::take_block(std::uint64_t offset, const BlockHeader& block) {
    if (block.job != header_.job) return at(Error{"a block of another run lies in this file"}, offset);
    BlockHeader again;
    auto bytes = content(offset, again);
    if (!bytes) return bytes.error();
    if (block.kind == BlockKind::definitions)
        if (auto taken = take_definitions(*bytes, offset); !taken) return taken;
    if (block.kind == BlockKind::records) blocks_.push_back(entry_of(block, offset));
    if (block.kind != BlockKind::index) all_blocks_.push_back(entry_of(block, offset));
    sound_end_ = offset + padded(sizeof block + block.stored_size);
    return Done{};
}

Outcome RankFile::take_definitions(ByteView content, std::uint64_t offset) {
    definition_bytes_ += content.size();
    if (definition_bytes_ > largest_raw_size + size_)
        return at(Error{"there are more definitions than such a file can have"}, offset);
    Definitions more;
    if (!read_whole(content, more)) return at(Error{"a block of definitions cannot be read"}, offset);
    append(std::move(more));
    return Done{};
}

namespace {
constexpr std::size_t search_step = 1 << 16;          // bytes read at once in the search for a block
constexpr std::uint64_t least_patience = 64ULL << 20; // bytes that may be read in vain even in a small file
} // namespace

// Blocks are aligned to eight bytes and found by their magic; what lies between them is reported once per gap. A false
// header costs the checksum of the bytes that it claims, so there is a limit on the bytes that are read in vain.
void RankFile::scan() {
    blocks_.clear();
    all_blocks_.clear();
    starts_.clear();
    definitions_ = {};
    definition_bytes_ = 0;
    bool in_gap = false;
    std::uint64_t fooled = 0;
    for (std::uint64_t offset = 0; offset + sizeof(BlockHeader) <= size_;) {
        BlockHeader block;
        if (!input_->read(&block, sizeof block, offset)) break;
        auto sound = check_header(block, size_ - offset);
        auto taken = sound ? take_block(offset, block) : Outcome{at(sound.error(), offset)};
        if (taken) {
            offset += padded(sizeof block + block.stored_size);
            in_gap = false;
            continue;
        }
        if (!in_gap) keep_error(damage_, taken.error());
        in_gap = true;
        fooled += sound ? block.stored_size : search_step;
        if (fooled > std::max(16 * size_, least_patience)) {
            keep_error(damage_, at(Error{"too much of the file is damaged; the rest is not searched"}, offset));
            break;
        }
        offset = next_magic(offset + 8);
    }
}

// Gives the next offset, a multiple of eight, where a block may begin; the file's size when there is none.
std::uint64_t RankFile::next_magic(std::uint64_t offset) const {
    std::uint8_t bytes[search_step];
    while (offset < size_) {
        const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(search_step, size_ - offset));
        if (!input_->read(bytes, size, offset)) return size_;
        for (std::size_t i = 0; i + sizeof(BlockHeader::magic) <= size; i += 8)
            if (std::memcmp(bytes + i, &BlockHeader::magic_value, sizeof(BlockHeader::magic)) == 0) return offset + i;
        offset += size;
    }
    return size_;
}

// Communicators are defined where they are made, in the records; only the closing definitions repeat them.
void RankFile::collect_from_records() {
    Definer definer{definitions_};
    for (const IndexEntry& entry : blocks_) {
        auto block = read(entry);
        if (!block) continue;
        for (std::size_t i = 0; i < block->records.size(); ++i) definer.take(block->records[i], block->words_of(i));
    }
    sort_definitions();
}

bool RankFile::repeats_all_comms() const {
    return definitions_.totals.empty() || definitions_.comms.size() >= definitions_.totals.front().comms;
}

void RankFile::append(Definitions&& more) {
    // The later modules stand first: a reader that looks an address up takes the first one that covers it.
    std::move(definitions_.modules.begin(), definitions_.modules.end(), std::back_inserter(more.modules));
    definitions_.modules.clear();
    if (!more.totals.empty()) definitions_.totals.clear();
    each_field_of_two(definitions_, more,
                      [](auto& all, auto& fresh) { std::move(fresh.begin(), fresh.end(), std::back_inserter(all)); });
}

// Sorts by number; of two definitions the later one is kept.
void RankFile::sort_definitions() {
    const auto by_number = [](auto& all) {
        const auto less = [](const auto& a, const auto& b) { return a.number < b.number; };
        std::stable_sort(all.begin(), all.end(), less);
        const auto same = [](const auto& a, const auto& b) { return a.number == b.number; };
        const auto kept = std::unique(all.rbegin(), all.rend(), same).base();
        all.erase(all.begin(), kept);
    };
    by_number(definitions_.comms);
    by_number(definitions_.datatypes);
    by_number(definitions_.windows);
    by_number(definitions_.files);
    by_number(definitions_.symbols);
    by_number(definitions_.counters);
    by_number(definitions_.scls);
    by_number(definitions_.threads);
    by_number(definitions_.nccl_comms);
}

void RankFile::settle() {
    // Of two blocks with the same lane and sequence the fuller one holds: a flush writes what there is so far, and the
    // lane's owner later writes all of it.
    const auto key = [](const IndexEntry& entry) {
        return std::tuple{entry.lane, entry.sequence, entry.calls, entry.records, entry.offset};
    };
    std::sort(blocks_.begin(), blocks_.end(),
              [&](const IndexEntry& a, const IndexEntry& b) { return key(a) < key(b); });
    const auto same = [](const IndexEntry& a, const IndexEntry& b) {
        return a.lane == b.lane && a.sequence == b.sequence;
    };
    blocks_.erase(blocks_.begin(), std::unique(blocks_.rbegin(), blocks_.rend(), same).base());
    auto& anchors = definitions_.anchors;
    anchors.push_back(header_.start);
    std::sort(anchors.begin(), anchors.end(), [](const Anchor& a, const Anchor& b) { return a.tick < b.tick; });
    ns_per_tick_ = ns_per_tick(header_.timer, anchors.front(), anchors.back());
    clock_ = stored_clocks();
}

const Comm* RankFile::comm(std::uint32_t number) const { return defined(definitions_.comms, number); }

Result<Bytes> RankFile::content_of(const IndexEntry& entry, BlockHeader& block) const {
    auto bytes = content(entry.offset, block);
    if (!bytes) return bytes.error();
    if (block.kind != entry.kind || block.lane != entry.lane || block.sequence != entry.sequence ||
        block.records != entry.records || block.calls != entry.calls || block.job != header_.job)
        return at(Error{"the index points to something else than it says"}, entry.offset);
    return bytes;
}

Result<TimedBlock> RankFile::read_times(const IndexEntry& entry, TimedBlock room) const {
    BlockHeader block;
    auto bytes = content_of(entry, block);
    if (!bytes) return bytes.error();
    auto times = decode_times(block, *bytes, std::move(room));
    if (!times) return at(times.error(), entry.offset);
    return times;
}

void RankFile::expect(std::span<const IndexEntry> blocks) const {
    constexpr std::uint64_t last_block = 1 << 16; // a guess, since only the block's header has its size
    if (!blocks.empty() && blocks.back().offset >= blocks.front().offset)
        input_->expect(blocks.back().offset - blocks.front().offset + last_block, blocks.front().offset);
}

Result<Bytes> RankFile::read_time_line(const IndexEntry& entry) const {
    BlockHeader block;
    return content_of(entry, block);
}

Result<RecordBlock> RankFile::read(const IndexEntry& entry, RecordBlock room) const {
    BlockHeader block;
    auto bytes = content_of(entry, block);
    if (!bytes) return bytes.error();
    auto records = decode_records(block, *bytes, std::move(room));
    if (!records) return at(records.error(), entry.offset);
    return records;
}

Outcome RankFile::for_each_record(const Take& take) const {
    Record pending;
    std::vector<std::int64_t> words;
    bool have = false;
    std::uint32_t lane = 0;
    const auto give = [&] {
        if (have) take(lane, pending, words);
        have = false;
    };
    for (const IndexEntry& entry : blocks_) {
        auto block = read(entry);
        if (!block) return block.error();
        if (entry.lane != lane) give();
        for (std::size_t i = 0; i < block->records.size(); ++i) {
            const Record& record = block->records[i];
            const auto more = block->words_of(i);
            if (record.what.kind == Kind::more && have) {
                words.insert(words.end(), more.begin(), more.end());
                pending.what.words = static_cast<std::uint32_t>(words.size());
                continue;
            }
            give();
            pending = record;
            words.assign(more.begin(), more.end());
            lane = entry.lane;
            have = true;
        }
    }
    give();
    return Done{};
}

const TimeMap* RankFile::stored_clock() const {
    const auto& stored = definitions_.time_maps;
    return !stored.empty() && stored.back().is_sound() ? &stored.back() : nullptr;
}

ProcessClock RankFile::stored_clocks() const {
    if (stored_clock() == nullptr)
        return {.fitted = clock_by_date(header_.start.realtime_ns), .refined = {}, .corrected = {}};
    const auto last = [](const std::vector<ShiftMap>& stored) {
        return !stored.empty() && stored.back().is_sound() ? stored.back() : ShiftMap{};
    };
    return {.fitted = *stored_clock(),
            .refined = last(definitions_.refinements),
            .corrected = last(definitions_.corrections)};
}

TimeMap RankFile::clock_by_date(std::int64_t origin_realtime_ns) const {
    const Anchor& begin = definitions_.anchors.front();
    return straight(begin.tick, time_of_ns(ns_between(origin_realtime_ns, begin.realtime_ns)), ns_per_tick_);
}

std::string rank_file_name(std::uint32_t rank) {
    char name[64];
    std::snprintf(name, sizeof name, "ranks/%03u/rank-%06u.trace", rank / 1000, rank);
    return name;
}

} // namespace tactus
