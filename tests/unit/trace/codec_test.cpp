// Property tests of the block codec: all records that a lane can hold are read back bit for bit, and nothing else is
// taken for a block.
#include "tests/unit/made/catch.hpp"
#include "trace/codec.hpp"

#include <random>
#include <zstd.h>

using namespace tactus;

namespace {

struct Slots {
    std::vector<Record> memory; // records and continuations, as a lane holds them
    std::vector<Record> records;
    std::vector<std::vector<std::int64_t>> words;
};

class Maker {
  public:
    explicit Maker(std::uint32_t seed) : random_{seed} {}

    Slots make(std::size_t most_slots) {
        Slots slots;
        const std::size_t variety = 1 + below(200);
        std::vector<Signature> signatures;
        for (std::size_t i = 0; i < variety; ++i) signatures.push_back(signature());
        const bool in_turn = below(2) == 0; // as in a loop
        Ticks tick = any();
        std::uint64_t request = below(1 << 20);
        while (slots.memory.size() < most_slots) {
            Record record;
            record.what = signatures[in_turn ? slots.records.size() % variety : below(variety)];
            record.enter = tick += 1 + any() % (1ULL << below(40));
            record.leave = tick += 1 + any() % (1ULL << below(40));
            if (record.what.has(flag::repeated)) {
                record.request = 1 + below(1000);
                record.what.bytes = below(1 << 30);
            } else if (record.what.has(flag::starts) || record.what.has(flag::completes)) {
                record.request = request += below(3);
            }
            std::vector<std::int64_t> words = words_for(record);
            if (slots.memory.size() + 1 + slots_of_words(words.size()) > most_slots) break;
            record.what.words = static_cast<std::uint32_t>(words.size());
            append(slots, record, std::move(words));
        }
        return slots;
    }

  private:
    std::uint64_t any() { return random_(); }
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }

    Signature signature() {
        constexpr std::uint8_t flags[] = {
            0, flag::starts, flag::completes, flag::repeated, flag::failed, flag::any_source | flag::any_tag};
        Signature made{.place = 0x550000000000 + below(1 << 20),
                       .bytes = below(4) == 0 ? any() : below(1 << 16),
                       .comm = static_cast<std::uint32_t>(below(5)),
                       .peer = static_cast<std::int32_t>(below(300)) - 4,
                       .tag = static_cast<std::int32_t>(any()),
                       .type = static_cast<std::uint32_t>(below(60)),
                       .function = static_cast<Function>(below(function_count)),
                       .kind = static_cast<Kind>(below(kind_count)),
                       .flags = flags[below(std::size(flags))]};
        if (made.kind == Kind::stretch) made.function = Function{}; // it is no call, whose words may be completions
        return made;
    }

    std::vector<std::int64_t> words_for(const Record& record) {
        std::vector<std::int64_t> words;
        if (record.what.flags != 0 || below(4) != 0) return words;
        const bool completions = has_completions(functions[static_cast<std::size_t>(record.what.function)].shape);
        for (std::uint64_t n = below(40); n > 0; --n) {
            if (!completions) {
                words.push_back(static_cast<std::int64_t>(any()));
                continue;
            }
            const bool received = below(2) == 0;
            words.push_back(
                static_cast<std::int64_t>(request_number(below(100), below(1 << 30)) << 1 | (received ? 1 : 0)));
            if (!received) continue;
            words.push_back(static_cast<std::int64_t>(below(1 << 20)));
            words.push_back(
                envelope_word(static_cast<std::int32_t>(below(1000)) - 4, static_cast<std::int32_t>(any())));
        }
        return words;
    }

    static void append(Slots& slots, const Record& record, std::vector<std::int64_t> words) {
        slots.memory.push_back(record);
        for (std::size_t i = 0; i < words.size(); i += words_per_slot) {
            Continuation continuation;
            for (std::size_t w = 0; w < words_per_slot && i + w < words.size(); ++w)
                continuation.words[w] = words[i + w];
            Record slot;
            std::memcpy(static_cast<void*>(&slot), &continuation, sizeof slot);
            slots.memory.push_back(slot);
        }
        slots.records.push_back(record);
        slots.words.push_back(std::move(words));
    }

    std::mt19937_64 random_;
};

struct Encoded {
    BlockHeader header;
    Bytes content;
};

Encoded encode(BlockEncoder& encoder, const std::vector<Record>& slots) {
    Bytes block(encoder.most_bytes());
    const std::size_t size = encoder.encode(slots, {.lane = 3, .sequence = 9, .job = 5}, block.data());
    Encoded out;
    std::memcpy(&out.header, block.data(), sizeof out.header);
    REQUIRE(check_header(out.header, size));
    REQUIRE(size == padded(sizeof out.header + out.header.stored_size));
    auto content = unpack_block(out.header, {block.data() + sizeof out.header, out.header.stored_size});
    REQUIRE(content);
    out.content = std::move(*content);
    return out;
}

bool equal(const Record& a, const Record& b) {
    return a.enter == b.enter && a.leave == b.leave && a.request == b.request && a.what == b.what;
}

} // namespace

TEST_CASE("times in steps of the timer come back, and those that are none") {
    const Ticks step = GENERATE(Ticks{1}, Ticks{2}, Ticks{26}, Ticks{25}, Ticks{1} << 40);
    BlockEncoder encoder{4096, step};
    std::mt19937_64 random{step};
    std::vector<Record> slots(3000);
    Ticks tick = 1'000'003;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const bool odd = i % 97 == 5;
        slots[i].enter = tick += step * (random() % 500) + (odd ? 1 : 0);
        slots[i].leave = tick += step * (random() % 5000) + (odd ? random() % 3 : 0);
        if (i % 101 == 7) slots[i].enter -= 40 * step; // a region around the records before it
    }
    const Encoded block = encode(encoder, slots);
    auto decoded = decode_records(block.header, block.content);
    REQUIRE(decoded);
    REQUIRE(decoded->records.size() == slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
        INFO("step " << step << " record " << i);
        REQUIRE(equal(decoded->records[i], slots[i]));
    }
    CHECK(block.content.size() < slots.size() * 5); // at most two bytes for each time, and one for the rest
}

TEST_CASE("a timer that changes its step costs one block") {
    BlockEncoder encoder{4096, 26};
    std::vector<Record> slots(3000);
    Ticks tick = 1000;
    for (Record& record : slots) {
        record.enter = tick += 101;
        record.leave = tick += 103;
    }
    const std::size_t first = encode(encoder, slots).content.size();
    const Encoded second = encode(encoder, slots);
    CHECK(second.content.size() < first * 2 / 3);
    auto decoded = decode_records(second.header, second.content);
    REQUIRE(decoded);
    CHECK(decoded->records.back().leave == tick);
}

TEST_CASE("times of more than a block of zstd are read back") {
    BlockEncoder encoder{65536};
    std::mt19937_64 random{1};
    std::vector<Record> slots(60'000);
    Ticks tick = 0;
    for (Record& record : slots) {
        record.enter = tick += random() >> 30;
        record.leave = tick += random() >> 30;
    }
    const Encoded block = encode(encoder, slots);
    REQUIRE(block.header.stored_size > 2 * 131'072);
    const auto decoded = decode_records(block.header, block.content);
    REQUIRE(decoded);
    REQUIRE(decoded->records.size() == slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i)
        REQUIRE((decoded->records[i].enter == slots[i].enter && decoded->records[i].leave == slots[i].leave));
}

// zstd makes room anew for small blocks that follow a large one, which it cannot in memory of a given size.
TEST_CASE("every block has its times as they are and all else compressed, each as long as it says") {
    BlockEncoder encoder{4096};
    std::vector<Record> slots(4000);
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i].leave = (slots[i].enter = 1000 * i + 1) + i % 7;
    Bytes block(encoder.most_bytes());
    for (int i = 0; i < 400; ++i) {
        const std::size_t count = i % 200 == 0 ? slots.size() : 100;
        encoder.encode({slots.data(), count}, {.lane = 3, .job = 5}, block.data());
        BlockHeader header;
        std::memcpy(&header, block.data(), sizeof header);
        REQUIRE(header.packing == Packing::zstd);
        ByteView payload{block.data() + sizeof header, header.stored_size};
        std::uint64_t content = 0;
        int frames = 0;
        for (; !payload.empty(); ++frames) {
            content += ZSTD_getFrameContentSize(payload.data(), payload.size());
            const std::size_t size = ZSTD_findFrameCompressedSize(payload.data(), payload.size());
            REQUIRE(ZSTD_isError(size) == 0);
            payload = payload.subspan(size);
        }
        REQUIRE(frames == 2); // the times, which are not compressed, and all else
        REQUIRE(content == header.raw_size);
    }
}

TEST_CASE("an encoder knows the pages of code it has seen") {
    BlockEncoder encoder{4096};
    std::vector<Record> slots(1);
    slots[0].what.place = 0x7f0000001234;
    encode(encoder, slots);
    CHECK(encoder.pages().touch(0x7f0000001000, 0x7f0000002000));
    CHECK_FALSE(encoder.pages().touch(0x7f0000002000, 0x7f0000009000));
    CHECK_FALSE(encoder.pages().touch(0x7f0000000000, 0x7f0000001000));
    slots.resize(1000);
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i].what.place = i << 20;
    encode(encoder, slots);
    CHECK(encoder.pages().touch(0x7f0000002000, 0x7f0000009000)); // too many pages to be sure that it was not touched
}

TEST_CASE("random records come back as they were") {
    BlockEncoder encoder{4096};
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        const Slots slots = Maker{seed}.make(1 + seed * 67);
        const Encoded block = encode(encoder, slots.memory);
        auto decoded = decode_records(block.header, block.content);
        REQUIRE(decoded);
        REQUIRE(decoded->records.size() == slots.records.size());
        std::uint64_t calls = 0;
        for (std::size_t i = 0; i < slots.records.size(); ++i) {
            Record expected = slots.records[i];
            expected.what.words = static_cast<std::uint32_t>(slots.words[i].size());
            // The request number is not kept if no flag needs it.
            const std::uint8_t numbered = flag::starts | flag::completes | flag::repeated;
            if ((expected.what.flags & numbered) == 0) expected.request = 0;
            INFO("seed " << seed << " record " << i);
            REQUIRE(equal(decoded->records[i], expected));
            const auto words = decoded->words_of(i);
            REQUIRE(std::vector<std::int64_t>(words.begin(), words.end()) == slots.words[i]);
            calls += calls_of(expected);
        }
        REQUIRE(block.header.calls == calls);
        REQUIRE(block.header.first == slots.records.front().enter);
        REQUIRE(block.header.last == slots.records.back().leave);
    }
}

TEST_CASE("a reader that needs times alone gets what stretches say, too") {
    BlockEncoder encoder{4096};
    std::mt19937_64 random{9};
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        Slots slots = Maker{seed}.make(1 + seed * 67);
        std::vector<Stretch> expected;
        for (std::size_t i = 0; i < slots.records.size(); ++i) {
            if (slots.records[i].what.kind != Kind::stretch) continue;
            Record& record = slots.records[i];
            record.what.words = static_cast<std::uint32_t>(slots.words[i].size());
            expected.push_back(Stretch::from(record, slots.words[i]).value_or(Stretch{}));
        }
        // Stretches as threads store them, between the others.
        Ticks at = slots.records.back().leave;
        for (int i = 0; i < 20; ++i) {
            Stretch stretch{.length = 1 + random() % 1000, .ran_ns = static_cast<std::int64_t>(random() % 1000)};
            stretch.minor_faults = random() % 9;
            Record record;
            record.what.kind = Kind::stretch;
            if (i % 2 == 0) stretch.counted = {static_cast<std::int64_t>(random() % 1000000), -1, 7, 8};
            const auto words = stretch.put();
            const std::size_t count = i % 2 == 0 ? Stretch::most_words : Stretch::words;
            record.what.words = static_cast<std::uint16_t>(count);
            record.enter = at += 2000 + random() % 2000;
            record.leave = at += 3;
            slots.memory.push_back(record);
            for (std::size_t first = 0; first < count; first += words_per_slot) {
                Continuation continuation;
                for (std::size_t w = 0; w < std::min(words_per_slot, count - first); ++w)
                    continuation.words[w] = words[first + w];
                std::memcpy(static_cast<void*>(&slots.memory.emplace_back()), &continuation, sizeof continuation);
            }
            expected.push_back(stretch.length <= record.enter ? stretch : Stretch{});
        }
        const Encoded block = encode(encoder, slots.memory);
        const auto times = decode_times(block.header, block.content);
        REQUIRE(times);
        REQUIRE(times->stretches.size() == expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK(times->stretches[i].put() == expected[i].put());
    }
}

TEST_CASE("a repeated call costs a few bytes") {
    BlockEncoder encoder{4096};
    std::mt19937 random{1};
    std::vector<Record> slots(4096);
    Ticks tick = 1'000'000;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        slots[i].enter = tick += 60 + random() % 64;
        slots[i].leave = tick += 700 + random() % 200;
        slots[i].what = {.place = 0x5500 + i % 2,
                         .bytes = 8,
                         .comm = 1,
                         .peer = 1,
                         .tag = 7,
                         .type = 9,
                         .function = i % 2 ? Function::Send : Function::Recv};
    }
    const Encoded block = encode(encoder, slots);
    CHECK(block.header.stored_size < 4 * slots.size()); // nearly all of that are the times
}

TEST_CASE("the worst case fits the room that most_bytes promises") {
    BlockEncoder encoder{512};
    std::mt19937_64 random{3};
    std::vector<Record> slots(512);
    for (Record& record : slots) {
        record = {
            .enter = random(), .leave = random(), .request = random(), .what = {.place = random(), .bytes = random()}};
        record.what.comm = static_cast<std::uint32_t>(random());
        record.what.tag = static_cast<std::int32_t>(random());
        record.what.flags = flag::starts;
    }
    Bytes room(encoder.most_bytes() + 64, 0xaa);
    const std::size_t size = encoder.encode(slots, {}, room.data());
    CHECK(size <= encoder.most_bytes());
    CHECK(room[encoder.most_bytes()] == 0xaa);
}

TEST_CASE("a changed byte anywhere in a block is noticed") {
    const Bytes content(300, 0x41);
    const Bytes block = pack_block({.kind = BlockKind::definitions}, content);
    for (std::size_t i = 0; i < block.size(); ++i) {
        Bytes changed = block;
        changed[i] ^= 0x10;
        BlockHeader header;
        std::memcpy(&header, changed.data(), sizeof header);
        const bool header_good = static_cast<bool>(check_header(header, changed.size()));
        const std::size_t stored = header_good ? header.stored_size : 0;
        const bool good = header_good && unpack_block(header, {changed.data() + sizeof header, stored});
        const bool padding = i >= sizeof header + stored && header_good;
        INFO("byte " << i);
        CHECK((!good || padding));
    }
}

TEST_CASE("a block that claims too much is refused before anything is unpacked") {
    BlockHeader header;
    header.kind = BlockKind::records;
    header.packing = Packing::zstd;
    header.raw_size = largest_raw_size + 1;
    CHECK_FALSE(check_header(header, 1 << 20));
    header.raw_size = 10;
    header.stored_size = 1 << 20;
    CHECK_FALSE(check_header(header, 1 << 20));
}
