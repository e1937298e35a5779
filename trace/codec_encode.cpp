// The encoding half. Every record passes through it, so a record takes few instructions here. One thread at a time (the
// lane's owner).
#include "trace/codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

#define ZSTD_STATIC_LINKING_ONLY // for a compressor in memory of our own; the library is linked in
#include <zstd.h>

namespace tactus {
namespace {

constexpr int level = 1; // of compression
constexpr std::size_t columns = column_texts.size();
constexpr std::size_t times = 2;                                           // columns that every record has a time in
constexpr std::size_t per_record = static_cast<std::size_t>(Column::step); // the other columns are the dictionary's

// A column being filled: plain memory with room for the worst case.
struct Out {
    std::unique_ptr<std::uint8_t[]> memory;
    std::uint8_t* end = nullptr;

    bool reserve(std::size_t size) {
        memory.reset(new (std::nothrow) std::uint8_t[size]);
        end = memory.get();
        return memory != nullptr;
    }
    void clear() { end = memory.get(); }
    void put(std::uint64_t value) { end = put_varint(end, value); }
    void put_signed(std::int64_t value) { put(zigzag(value)); }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end - memory.get()); }
    [[nodiscard]] ByteView bytes() const { return {memory.get(), size()}; }
};

bool same(const Signature& a, const Signature& b) {
    static_assert(std::has_unique_object_representations_v<Signature>);
    return std::memcmp(&a, &b, sizeof a) == 0;
}

std::size_t hash_of(const Signature& s) {
    const auto w = std::bit_cast<std::array<std::uint64_t, 5>>(s);
    std::uint64_t h = (w[0] * 0x9e3779b97f4a7c15U) ^ (w[1] * 0xc2b2ae3d27d4eb4fU) ^ (w[2] * 0x165667b19e3779f9U) ^
                      (w[3] * 0x27d4eb2f165667c5U) ^ (w[4] * 0x85ebca77c2b2ae63U);
    h ^= h >> 29;
    return static_cast<std::size_t>(h * 0x9fb21c651e98df25U >> 32);
}

// Divides by a number that mostly divides evenly. For an odd number, a multiplication by its inverse modulo 2^64 gives
// the quotient, or, when the number does not divide evenly, a value larger than any quotient (Granlund and Montgomery,
// 1994, section 9).
class Step {
  public:
    explicit Step(Ticks step) {
        shift_ = std::countr_zero(step);
        const std::uint64_t odd = step >> shift_;
        inverse_ = odd;                                                          // correct in its lowest three bits
        for (int bits = 3; bits < 64; bits *= 2) inverse_ *= 2 - odd * inverse_; // Newton
        constexpr std::uint64_t largest = std::uint64_t{1} << 62;                // leaves room for a sign and for + 1
        most_ = std::min(~std::uint64_t{0} / step, largest - 1);
    }
    // False when the step does not divide the value.
    bool divide(std::uint64_t value, std::uint64_t& quotient) const {
        quotient = std::rotr(value * inverse_, shift_);
        return quotient <= most_;
    }

  private:
    std::uint64_t inverse_ = 0;
    std::uint64_t most_ = 0;
    int shift_ = 0;
};

// A record takes at most five varints in its columns, two of misses, and the ten of its signature. A slot of words
// takes seven.
constexpr std::size_t room_for_directory = columns * (1 + longest_varint) + 1;
constexpr std::size_t most_varints = 7 + 10;
constexpr std::size_t room_for_content(std::size_t slots) {
    return slots * most_varints * longest_varint + room_for_directory;
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); }

} // namespace

struct BlockEncoder::Workspace {
    std::size_t most_slots;
    Ticks step;
    Step divider{step};
    CallPages pages;
    Out column[columns];
    Out directory;
    Out compressed; // the columns after the times, joined
    std::unique_ptr<Signature[]> dictionary;
    std::size_t entries = 0;                    // in the dictionary
    std::unique_ptr<std::uint32_t[]> following; // for each entry, the entry that followed it last time
    std::uint32_t last = 0;                     // the entry of the record before; `most_slots`: none
    std::unique_ptr<std::uint32_t[]> table;     // open addressing: index + 1 into the dictionary, 0 = free
    std::size_t table_size = 1;
    std::unique_ptr<std::uint64_t[]> zstd_memory; // all that the compressor ever needs
    ZSTD_CCtx* zstd = nullptr;                    // lies in zstd_memory

    Ticks previous_leave = 0;
    std::uint64_t next_started = 0;
    std::uint64_t next_completed = 0;
    std::uint64_t calls = 0;
    std::uint32_t records = 0;

    Workspace(std::size_t slots, Ticks timer_step) : most_slots{slots}, step{timer_step} {}

    Out& operator[](Column c) {
        const auto number = static_cast<std::size_t>(c);
        return column[number < 32 ? number - 1 : number - 32 + per_record];
    }
    bool allocate();
    bool make_compressor();
    void clear(Ticks first);
    std::uint32_t index_of(const Signature& what);
    void put_index(const Signature& what);
    void put_signature(const Signature& what);
    void put_times(const Record& record);
    void put_completions(const Record* record);
    void put_words(const Record* record);
    std::size_t put_usual(std::span<const Record> slots);
    std::size_t put_record(const Record* record);
    void put_step();
    void join_columns();
    void pack(std::uint8_t* out, std::size_t room, BlockHeader& header);
};

bool BlockEncoder::Workspace::allocate() {
    for (std::size_t c = 0; c < columns; ++c) {
        const Column number = column_texts[c].column;
        const bool by_word = number >= Column::completion && number <= Column::words;
        const std::size_t most_of_slot = by_word ? words_per_slot : number == Column::odd_times ? 2 : 1;
        if (!column[c].reserve(most_slots * most_of_slot * longest_varint)) return false;
    }
    if (!directory.reserve(room_for_directory) ||
        !compressed.reserve(most_slots * (most_varints - times) * longest_varint))
        return false;
    if (!make_compressor()) return false;
    while (table_size < 2 * most_slots) table_size *= 2;
    table.reset(new (std::nothrow) std::uint32_t[table_size]);
    dictionary.reset(new (std::nothrow) Signature[most_slots]);
    following.reset(new (std::nothrow) std::uint32_t[most_slots + 1]);
    return table != nullptr && dictionary != nullptr && following != nullptr;
}

// A compressor in its own memory allocates nothing later. A signal handler may run while a block is compressed, and if
// it calls exit() there, the program would wait forever for the lock of malloc().
bool BlockEncoder::Workspace::make_compressor() {
    const std::size_t size = ZSTD_estimateCCtxSize(level);
    zstd_memory.reset(new (std::nothrow) std::uint64_t[size / sizeof(std::uint64_t) + 1]);
    if (zstd_memory == nullptr) return false;
    zstd = ZSTD_initStaticCCtx(zstd_memory.get(), size);
    return zstd != nullptr;
}

void BlockEncoder::Workspace::clear(Ticks first) {
    for (Out& out : column) out.clear();
    std::fill_n(table.get(), table_size, 0);
    entries = 0;
    last = static_cast<std::uint32_t>(most_slots);
    following[last] = 0;
    previous_leave = first;
    next_started = next_completed = calls = 0;
    records = 0;
}

void BlockEncoder::Workspace::put_signature(const Signature& s) {
    const std::uint64_t previous = entries == 0 ? 0 : dictionary[entries - 1].place;
    pages.add(s.place);
    (*this)[Column::place].put_signed(difference(s.place, previous));
    (*this)[Column::bytes].put(s.bytes);
    (*this)[Column::comm].put(s.comm);
    (*this)[Column::peer].put_signed(s.peer);
    (*this)[Column::tag].put_signed(s.tag);
    (*this)[Column::type].put(s.type);
    (*this)[Column::function].put(static_cast<std::uint64_t>(s.function));
    (*this)[Column::kind].put(static_cast<std::uint64_t>(s.kind));
    (*this)[Column::flags].put(s.flags);
    (*this)[Column::word_count].put(s.words);
    following[entries] = static_cast<std::uint32_t>(entries + 1);
    dictionary[entries++] = s;
}

std::uint32_t BlockEncoder::Workspace::index_of(const Signature& what) {
    const std::size_t mask = table_size - 1;
    std::size_t slot = hash_of(what) & mask;
    while (table[slot] != 0) {
        if (same(dictionary[table[slot] - 1], what)) return table[slot] - 1;
        slot = (slot + 1) & mask;
    }
    put_signature(what);
    table[slot] = static_cast<std::uint32_t>(entries);
    return table[slot] - 1;
}

// Most programs do the same things in the same order, so the entry that followed the last signature last time is
// compared before anything is hashed.
void BlockEncoder::Workspace::put_index(const Signature& what) {
    const std::uint32_t expected = following[last];
    const bool as_expected = expected < entries && same(dictionary[expected], what);
    const std::uint32_t index = as_expected ? expected : index_of(what);
    (*this)[Column::signature].put(index == expected ? 0 : index + 1);
    following[last] = index;
    last = index;
}

namespace {
// Reads the words that follow a record, one after the other. The first of each slot's eight words is unused.
class WordsBehind {
  public:
    explicit WordsBehind(const Record* record) : next_{reinterpret_cast<const std::uint8_t*>(record + 1)} {}
    std::int64_t take() {
        if (reinterpret_cast<std::uintptr_t>(next_) % sizeof(Continuation) == 0) next_ += sizeof(std::int64_t);
        std::int64_t word = 0;
        std::memcpy(&word, next_, sizeof word);
        next_ += sizeof word;
        return word;
    }

  private:
    const std::uint8_t* next_;
};
} // namespace

void BlockEncoder::Workspace::put_completions(const Record* record) {
    WordsBehind words{record};
    for (std::uint32_t left = record->what.words; left > 0;) {
        const auto head = static_cast<std::uint64_t>(words.take());
        --left;
        const bool received = (head & 1) != 0;
        (*this)[Column::completion].put(zigzag(difference(head >> 1, next_completed)) << 1 | (received ? 1 : 0));
        next_completed = (head >> 1) + 1;
        if (!received || left < 2) continue;
        (*this)[Column::completion_bytes].put(static_cast<std::uint64_t>(words.take()));
        const std::int64_t envelope = words.take();
        left -= 2;
        (*this)[Column::completion_source].put_signed(envelope_source(envelope));
        (*this)[Column::completion_tag].put_signed(envelope_tag(envelope));
    }
}

void BlockEncoder::Workspace::put_words(const Record* record) {
    WordsBehind words{record};
    for (std::uint32_t i = 0; i < record->what.words; ++i) (*this)[Column::words].put_signed(words.take());
}

void BlockEncoder::Workspace::put_times(const Record& record) {
    const std::int64_t since = difference(record.enter, previous_leave);
    const std::uint64_t duration = record.leave - record.enter;
    previous_leave = record.leave;
    std::uint64_t steps = 0;
    const std::uint64_t magnitude =
        since < 0 ? 0 - static_cast<std::uint64_t>(since) : static_cast<std::uint64_t>(since);
    const bool even = divider.divide(magnitude, steps);
    (*this)[Column::enter].put(
        even ? 1 + zigzag(since < 0 ? -static_cast<std::int64_t>(steps) : static_cast<std::int64_t>(steps)) : 0);
    if (!even) [[unlikely]]
        (*this)[Column::odd_times].put_signed(since);
    const bool even_too = divider.divide(duration, steps);
    (*this)[Column::duration].put(even_too ? 1 + steps : 0);
    if (!even_too) [[unlikely]]
        (*this)[Column::odd_times].put_signed(static_cast<std::int64_t>(duration));
}

// Writes the number of a record's request, if it has one, as what it is more than the number that is expected.
std::uint8_t* put_request(std::uint8_t* out, const Record& record, std::uint64_t& started, std::uint64_t& completed) {
    if (!record.what.has(flag::starts) && !record.what.has(flag::completes)) return out;
    std::uint64_t& expected = record.what.has(flag::starts) ? started : completed;
    out = put_varint(out, zigzag(difference(record.request, expected)));
    expected = record.request + 1;
    return out;
}

// Does what put_record() does for the first of these records, as far as they go the usual way: each has the entry of
// the dictionary that is expected, times that are multiples of the step, and no words. Returns how many they are. All
// that changes is kept in local variables: the compiler must assume that any byte which is written lies in the
// workspace.
std::size_t BlockEncoder::Workspace::put_usual(std::span<const Record> slots) {
    const Signature* const known = dictionary.get();
    const std::uint32_t* const next_of = following.get();
    const std::size_t count = entries;
    const Step steps = divider;
    std::uint8_t* enters = (*this)[Column::enter].end;
    std::uint8_t* durations = (*this)[Column::duration].end;
    std::uint8_t* signatures = (*this)[Column::signature].end;
    std::uint8_t* requests = (*this)[Column::request].end;
    std::uint32_t entry = last;
    Ticks left = previous_leave;
    std::uint64_t started = next_started;
    std::uint64_t completed = next_completed;
    std::uint64_t added_calls = 0;
    std::size_t done = 0;
    for (; done < slots.size(); ++done) {
        const Record& record = slots[done];
        const std::uint32_t expected = next_of[entry];
        if (expected >= count || record.what.words != 0 || (record.what.flags & flag::repeated) != 0 ||
            !same(known[expected], record.what))
            break;
        const bool early = record.enter < left;
        std::uint64_t gap = 0;
        std::uint64_t duration = 0;
        if (!steps.divide(early ? left - record.enter : record.enter - left, gap) ||
            !steps.divide(record.leave - record.enter, duration))
            break;
        enters = put_varint(enters, 1 + 2 * gap - (early ? 1 : 0)); // 1 + zigzag
        durations = put_varint(durations, 1 + duration);
        *signatures++ = 0;
        requests = put_request(requests, record, started, completed);
        entry = expected;
        left = record.leave;
        added_calls += record.what.kind == Kind::call ? 1 : 0;
    }
    (*this)[Column::enter].end = enters;
    (*this)[Column::duration].end = durations;
    (*this)[Column::signature].end = signatures;
    (*this)[Column::request].end = requests;
    last = entry;
    previous_leave = left;
    next_started = started;
    next_completed = completed;
    calls += added_calls;
    records += static_cast<std::uint32_t>(done);
    return done;
}

// Gives the number of slots that the record and its words fill.
std::size_t BlockEncoder::Workspace::put_record(const Record* record) {
    const Signature& what = record->what;
    put_times(*record);
    if ((what.flags & flag::repeated) != 0) [[unlikely]] {
        (*this)[Column::repeats].put(record->request);
        (*this)[Column::inside].put(what.bytes);
        Signature plain = what;
        plain.bytes = 0;
        put_index(plain);
    } else {
        put_index(what);
        Out& requests = (*this)[Column::request];
        requests.end = put_request(requests.end, *record, next_started, next_completed);
    }
    calls += calls_of(*record);
    ++records;
    if (what.words == 0) return 1;
    if (has_completions(functions[static_cast<std::size_t>(what.function)].shape))
        put_completions(record);
    else
        put_words(record);
    return 1 + slots_of_words(what.words);
}

// When many times are not multiples of the step, the timer is not what it was (a virtual machine moved). The step is
// then given up.
void BlockEncoder::Workspace::put_step() {
    if (step == 1) return;
    (*this)[Column::step].put(step);
    if ((*this)[Column::odd_times].size() <= records) return;
    step = 1;
    divider = Step{step};
}

// Writes which columns there are, with their sizes, into `directory`, and joins the columns that are compressed.
void BlockEncoder::Workspace::join_columns() {
    directory.clear();
    for (std::size_t c = 0; c < columns; ++c) {
        if (column[c].size() == 0) continue;
        *directory.end++ = static_cast<std::uint8_t>(column_texts[c].column);
        directory.put(column[c].size());
    }
    *directory.end++ = 0;
    compressed.clear();
    for (std::size_t c = times; c < columns; ++c)
        compressed.end = std::copy(column[c].memory.get(), column[c].end, compressed.end);
}

namespace {

// A frame of zstd whose blocks are not compressed (RFC 8878, 3.1.1). It has these parts, one after the other.
std::uint8_t* put_bare_frame(std::uint8_t* out, std::span<const ByteView> parts) {
    const auto put = [&out](std::size_t value, int bytes) {
        for (; bytes > 0; --bytes, value >>= 8) *out++ = static_cast<std::uint8_t>(value);
    };
    constexpr std::size_t magic = 0xfd2fb528;
    constexpr std::size_t size_in_four_bytes = 0xa0; // and one segment
    constexpr std::size_t most_of_block = 1 << 17;
    constexpr std::size_t last = 1;
    std::size_t size = 0;
    for (const ByteView part : parts) size += part.size();
    put(magic, 4);
    put(size_in_four_bytes, 1);
    put(size, 4);
    for (ByteView part : parts)
        while (!part.empty()) {
            const ByteView block = part.first(std::min(part.size(), most_of_block));
            put(block.size() << 3, 3);
            out = std::copy(block.begin(), block.end(), out);
            part = part.subspan(block.size());
        }
    put(last, 3); // an empty block
    return out;
}

} // namespace

// Writes the block's content to `out` as two frames of zstd, or bare if zstd fails. The first frame has the directory
// and the times as they are: compressing them would take some 150 instructions a record, and make those of real
// programs a sixth smaller (docs/studies/records.md).
void BlockEncoder::Workspace::pack(std::uint8_t* out, std::size_t room, BlockHeader& header) {
    join_columns();
    const ByteView as_they_are[] = {directory.bytes(), column[0].bytes(), column[1].bytes()};
    static_assert(column_texts[0].column == Column::enter && column_texts[1].column == Column::duration && times == 2);
    header.raw_size = compressed.size();
    for (const ByteView part : as_they_are) header.raw_size += part.size();
    header.packing = Packing::zstd;
    std::uint8_t* const second = put_bare_frame(out, as_they_are);
    const auto first_size = static_cast<std::size_t>(second - out);
    const std::size_t size =
        ZSTD_compressCCtx(zstd, second, room - first_size, compressed.memory.get(), compressed.size(), level);
    header.stored_size = first_size + size;
    if (ZSTD_isError(size) == 0) return;
    header.packing = Packing::bare;
    header.stored_size = header.raw_size;
    for (const ByteView part : as_they_are) out = std::copy(part.begin(), part.end(), out);
    std::copy(compressed.memory.get(), compressed.end, out);
}

BlockEncoder::BlockEncoder(std::size_t most_slots, Ticks step)
    : workspace_{new (std::nothrow) Workspace{most_slots, step}} {
    if (workspace_ != nullptr && !workspace_->allocate()) workspace_.reset();
}
BlockEncoder::~BlockEncoder() = default;

const CallPages& BlockEncoder::pages() const { return workspace_->pages; }
bool BlockEncoder::ready() const { return workspace_ != nullptr; }

std::size_t BlockEncoder::most_bytes() const {
    return padded(sizeof(BlockHeader) + ZSTD_compressBound(room_for_content(workspace_->most_slots)) + 4096);
}

std::size_t BlockEncoder::encode(std::span<const Record> slots, BlockHeader header, std::uint8_t* out) {
    Workspace& w = *workspace_;
    if (header.first == 0 && !slots.empty()) header.first = slots.front().enter;
    w.clear(header.first);
    for (std::size_t i = 0; i < slots.size();) {
        i += w.put_usual(slots.subspan(i));
        if (i < slots.size()) i += w.put_record(&slots[i]);
    }
    w.put_step();
    header.kind = BlockKind::records;
    header.records = w.records;
    header.calls = w.calls;
    header.last = w.previous_leave;
    w.pack(out + sizeof header, most_bytes() - sizeof header, header);
    header.checksum = checksum_of(header, {out + sizeof header, header.stored_size});
    std::memcpy(out, &header, sizeof header);
    const std::size_t size = sizeof header + header.stored_size;
    std::memset(out + size, 0, padded(size) - size);
    return padded(size);
}

} // namespace tactus
