// The decoding half. Its input may be anything at all: every number is checked before it is used as a size or an index.
#include "trace/codec.hpp"

#include <algorithm>

namespace tactus {
namespace {

constexpr std::size_t column_numbers = 64;

struct Columns {
    std::array<ByteReader, column_numbers> at;
    std::array<std::size_t, column_numbers> size{};

    Columns() : at{make(std::make_index_sequence<column_numbers>{})} {}
    template <std::size_t... i> static std::array<ByteReader, column_numbers> make(std::index_sequence<i...>) {
        return {((void)i, ByteReader{{}})...};
    }
    ByteReader& operator[](Column c) { return at[static_cast<std::size_t>(c)]; }
    [[nodiscard]] bool ok() const {
        for (const ByteReader& reader : at)
            if (!reader.ok()) return false;
        return true;
    }
};

// Unknown columns are skipped: a newer writer may add some.
bool split(ByteView content, Columns& columns) {
    ByteReader in{content};
    std::vector<std::pair<std::uint8_t, std::uint64_t>> directory;
    while (const auto number = in.raw<std::uint8_t>()) {
        directory.emplace_back(number, in.varint());
        if (!in.ok()) return false;
    }
    for (const auto& [number, size] : directory) {
        const ByteView bytes = in.take(size);
        if (!in.ok()) return false;
        if (number >= column_numbers) continue;
        columns.at[number] = ByteReader{bytes};
        columns.size[number] = bytes.size();
    }
    return in.ok();
}

// These limits are far above what a writer puts into a block, and they keep a block of a few bytes from filling the
// memory.
constexpr std::size_t most_records = 1 << 20;
constexpr std::size_t most_words = 1 << 22;

std::vector<Signature> read_dictionary(Columns& c) {
    std::vector<Signature> dictionary;
    std::uint64_t place = 0;
    while (c[Column::place].left() > 0 && dictionary.size() < most_records) {
        Signature s;
        s.place = place += static_cast<std::uint64_t>(c[Column::place].signed_varint());
        s.bytes = c[Column::bytes].varint();
        s.comm = static_cast<std::uint32_t>(c[Column::comm].varint());
        s.peer = static_cast<std::int32_t>(c[Column::peer].signed_varint());
        s.tag = static_cast<std::int32_t>(c[Column::tag].signed_varint());
        s.type = static_cast<std::uint32_t>(c[Column::type].varint());
        s.function = static_cast<Function>(c[Column::function].varint());
        s.kind = static_cast<Kind>(c[Column::kind].varint());
        s.flags = static_cast<std::uint8_t>(c[Column::flags].varint());
        s.words = static_cast<std::uint32_t>(c[Column::word_count].varint());
        dictionary.push_back(s);
        if (!c.ok()) break;
    }
    return dictionary;
}

// Decodes what every record has: its times and its entry of the dictionary.
class Decoder {
  public:
    explicit Decoder(Columns& columns) : columns_{columns}, dictionary_{read_dictionary(columns)} {
        for (std::size_t i = 0; i < dictionary_.size(); ++i) following_.push_back(i + 1);
    }

    // Calls `take(enter, leave, entry)` for each record. False when a call gives false or the columns contradict each
    // other.
    template <class Take> bool decode(const BlockHeader& header, const Take& take) {
        // Local copies: the compiler sees that nothing else changes them.
        ByteReader enters = columns_[Column::enter];
        ByteReader durations = columns_[Column::duration];
        ByteReader signatures = columns_[Column::signature];
        const Ticks step = columns_[Column::step].left() > 0 ? columns_[Column::step].varint() : 1;
        std::uint64_t first = 0;
        std::uint64_t* expected = &first; // points to the index that followed the last record's index last time
        Ticks leave = header.first;
        for (std::uint32_t i = 0; i < header.records; ++i) {
            const std::uint64_t since = enters.varint();
            const Ticks enter =
                leave + (since == 0 ? odd_time() : static_cast<std::uint64_t>(unzigzag(since - 1)) * step);
            const std::uint64_t duration = durations.varint();
            leave = enter + (duration == 0 ? odd_time() : (duration - 1) * step);
            const std::uint64_t coded = signatures.varint();
            const std::uint64_t index = coded == 0 ? *expected : coded - 1;
            if (index >= dictionary_.size()) return false;
            *expected = index;
            expected = &following_[index];
            if (!take(enter, leave, static_cast<std::uint32_t>(index))) return false;
        }
        return columns_.ok() && enters.ok() && durations.ok() && signatures.ok();
    }
    // Each record takes at least a byte in each of three columns.
    [[nodiscard]] bool has_room_for(const BlockHeader& header) const {
        for (const Column column : {Column::enter, Column::duration, Column::signature})
            if (header.records > columns_.size[static_cast<std::size_t>(column)]) return false;
        return header.records <= most_records && columns_.ok();
    }
    [[nodiscard]] std::vector<Signature>& dictionary() { return dictionary_; }

  private:
    std::uint64_t odd_time() { return static_cast<std::uint64_t>(columns_[Column::odd_times].signed_varint()); }

    Columns& columns_;
    std::vector<Signature> dictionary_;
    std::vector<std::uint64_t> following_;
};

// Decodes whole records.
class RecordDecoder {
  public:
    RecordDecoder(Columns& columns, RecordBlock& out) : columns_{columns}, out_{out}, decoder_{columns} {}

    bool decode(const BlockHeader& header) {
        if (!decoder_.has_room_for(header)) return false;
        // Every record is filled in its place, and wholly: those of the block before are still there.
        out_.records.resize(header.records);
        out_.first_word.resize(header.records);
        Record* record = out_.records.data();
        std::uint64_t* first_word = out_.first_word.data();
        const Signature* const dictionary = decoder_.dictionary().data();
        return decoder_.decode(header, [&](Ticks enter, Ticks leave, std::uint32_t entry) {
            record->enter = enter;
            record->leave = leave;
            record->request = 0;
            record->what = dictionary[entry];
            *first_word++ = out_.words.size();
            constexpr std::uint8_t numbered = flag::repeated | flag::starts | flag::completes;
            if ((record->what.flags & numbered) != 0) decode_request(*record);
            const bool good = record->what.words == 0 || decode_words(record->what);
            ++record;
            return good;
        });
    }

  private:
    void decode_request(Record& record) {
        if (record.what.has(flag::repeated)) {
            record.request = columns_[Column::repeats].varint();
            record.what.bytes = columns_[Column::inside].varint();
        } else if (record.what.has(flag::starts)) {
            record.request = next_started_ + static_cast<std::uint64_t>(columns_[Column::request].signed_varint());
            next_started_ = record.request + 1;
        } else {
            record.request = next_completed_ + static_cast<std::uint64_t>(columns_[Column::request].signed_varint());
            next_completed_ = record.request + 1;
        }
    }

    bool decode_words(const Signature& what) {
        if (what.words > most_words - out_.words.size()) return false;
        const auto function = static_cast<std::size_t>(what.function);
        if (function < function_count && has_completions(functions[function].shape))
            return decode_completions(what.words);
        return decode_others(what.words);
    }

    bool decode_completions(std::uint64_t words) {
        for (std::uint64_t i = 0; i < words;) {
            if (columns_[Column::completion].left() == 0) return false;
            const std::uint64_t coded = columns_[Column::completion].varint();
            const bool received = (coded & 1) != 0;
            const std::uint64_t request = next_completed_ + static_cast<std::uint64_t>(unzigzag(coded >> 1));
            next_completed_ = request + 1;
            out_.words.push_back(static_cast<std::int64_t>(request << 1 | (received ? 1 : 0)));
            ++i;
            if (!received || words - i < 2) continue;
            out_.words.push_back(static_cast<std::int64_t>(columns_[Column::completion_bytes].varint()));
            const auto source = static_cast<std::int32_t>(columns_[Column::completion_source].signed_varint());
            const auto tag = static_cast<std::int32_t>(columns_[Column::completion_tag].signed_varint());
            out_.words.push_back(envelope_word(source, tag));
            i += 2;
        }
        return true;
    }

    bool decode_others(std::uint64_t words) {
        ByteReader& column = columns_[Column::words];
        if (words > column.left()) return false;
        for (std::uint64_t i = 0; i < words; ++i) out_.words.push_back(column.signed_varint());
        return column.ok();
    }

    Columns& columns_;
    RecordBlock& out_;
    Decoder decoder_;
    std::uint64_t next_started_ = 0;
    std::uint64_t next_completed_ = 0;
};

// Reads the words of stretches, and passes over those of other records.
class StretchReader {
  public:
    StretchReader(Columns& columns, const std::vector<Signature>& dictionary, std::vector<Stretch>& out)
        : words_{columns[Column::words]}, dictionary_{dictionary}, out_{out},
          any_{std::ranges::any_of(dictionary, [](const Signature& what) { return what.kind == Kind::stretch; })} {}
    [[nodiscard]] bool any() const { return any_; }
    // False when there are fewer words than the records have.
    bool read(Ticks enter, std::uint32_t entry) {
        const Signature& what = dictionary_[entry];
        const auto function = static_cast<std::size_t>(what.function);
        if (function < function_count && has_completions(functions[function].shape)) {
            if (what.kind == Kind::stretch) out_.emplace_back(); // its words are in other columns
            return true;
        }
        if (what.words > words_.left()) return false;
        if (what.kind == Kind::stretch) return read_stretch(enter, what);
        for (std::uint32_t i = 0; i < what.words; ++i) words_.varint();
        return true;
    }

  private:
    bool read_stretch(Ticks enter, const Signature& what) {
        Record record;
        record.enter = enter;
        record.what = what;
        std::array<std::int64_t, Stretch::most_words> own{};
        for (std::uint32_t i = 0; i < what.words; ++i) {
            const std::int64_t word = words_.signed_varint();
            if (i < own.size()) own[i] = word;
        }
        out_.push_back(
            Stretch::from(record, Words{own}.first(std::min<std::size_t>(what.words, own.size()))).value_or(Stretch{}));
        return words_.ok();
    }

    ByteReader& words_;
    const std::vector<Signature>& dictionary_;
    std::vector<Stretch>& out_;
    bool any_;
};

const Error contradiction{"the block's columns contradict each other"};

} // namespace

Result<RecordBlock> decode_records(const BlockHeader& header, ByteView content, RecordBlock room) {
    Columns columns;
    room.words.clear();
    if (!split(content, columns) || !RecordDecoder{columns, room}.decode(header)) return contradiction;
    return room;
}

Result<TimedBlock> decode_times(const BlockHeader& header, ByteView content, TimedBlock room) {
    Columns columns;
    room.inside.clear();
    room.stretches.clear();
    if (!split(content, columns)) return contradiction;
    Decoder decoder{columns};
    if (!decoder.has_room_for(header)) return contradiction;
    room.records.resize(header.records);
    TimedBlock::Timed* record = room.records.data();
    StretchReader stretches{columns, decoder.dictionary(), room.stretches};
    const bool has_stretches = stretches.any();
    const bool sound = decoder.decode(header, [&](Ticks enter, Ticks leave, std::uint32_t entry) {
        *record++ = {enter, leave, entry};
        if (has_stretches && !stretches.read(enter, entry)) [[unlikely]]
            return false;
        if (decoder.dictionary()[entry].has(flag::repeated)) [[unlikely]]
            room.inside.push_back(columns[Column::inside].varint());
        return true;
    });
    if (!sound) return contradiction;
    room.dictionary = std::move(decoder.dictionary());
    return room;
}

} // namespace tactus
