// Rank files with wrong blocks, indexes and columns.
#include "tests/unit/made/catch.hpp"
#include "tests/unit/made/hostile_file.hpp"
#include "trace/fields.hpp"

#include <cstring>
#include <zstd.h>

using namespace tactus;

namespace {

BlockHeader of_kind(BlockKind kind, std::uint64_t raw_size = 0) {
    BlockHeader header;
    header.kind = kind;
    header.raw_size = raw_size;
    return header;
}

// A zstd frame of `size` zero bytes.
Bytes packed_zeros(std::size_t size) {
    const Bytes zeros(size);
    Bytes packed(ZSTD_compressBound(size));
    packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), size, 1));
    return packed;
}

void check_open(const HostileFile& file, int status, const std::string& reason) {
    const TestFolder folder;
    check_survives(file.write(folder.path()), status, reason);
}

void check_closed(HostileFile& file, int status, const std::string& reason, const Commands& commands = all_commands) {
    file.close();
    const TestFolder folder;
    check_survives(file.write(folder.path()), status, reason, commands);
}

// The columns of one call without payload words, for tests to damage.
std::map<Column, Bytes> one_call() {
    return {{Column::enter, varints({0})},     {Column::duration, varints({10})}, {Column::signature, varints({0})},
            {Column::place, varints({0})},     {Column::bytes, varints({0})},     {Column::comm, varints({0})},
            {Column::peer, varints({1})},      {Column::tag, varints({0})},       {Column::type, varints({0})},
            {Column::function, varints({0})},  {Column::kind, varints({0})},      {Column::flags, varints({0})},
            {Column::word_count, varints({0})}};
}

constexpr std::uint64_t huge = std::uint64_t{1} << 62;

} // namespace

TEST_CASE("decompression bombs", "[hostile]") {
    const Bytes zeros = packed_zeros(64 << 20);
    for (const auto kind : {BlockKind::records, BlockKind::definitions, BlockKind::index}) {
        for (const std::uint64_t claim : {std::uint64_t{1000}, std::uint64_t{60} << 20, std::uint64_t{60} << 30}) {
            BlockHeader header = of_kind(kind, claim);
            header.packing = Packing::zstd;
            HostileFile file;
            file.add(header, zeros);
            check_open(file, 1, claim == 1000 ? "cannot be unpacked" : "claims more content");
        }
    }
}

TEST_CASE("a thousand blocks that unpack to as much as they may", "[hostile]") {
    const Bytes zeros = packed_zeros(1 << 20);
    for (const auto kind : {BlockKind::records, BlockKind::definitions}) {
        BlockHeader header = of_kind(kind, 1 << 20);
        header.packing = Packing::zstd;
        header.records = 1 << 20;
        HostileFile file;
        for (header.sequence = 0; header.sequence < (sanitized ? 100 : 1000); ++header.sequence)
            file.add(header, zeros);
        const TestFolder folder;
        const std::string trace = file.write(folder.path());
        if (kind == BlockKind::definitions)
            check_survives(trace, 1, "more definitions than");
        else
            check_survives(trace, 1, "contradict each other", reading_commands);
    }
}

TEST_CASE("counts and lengths of definitions that are not there", "[hostile]") {
    constexpr int lists = 11;
    for (int list = 0; list < lists; ++list) {
        for (const std::uint64_t count : {huge, std::uint64_t{1} << 20, std::uint64_t{300}}) {
            Bytes fields(static_cast<std::size_t>(list)); // preceded by empty lists
            append_varint(fields, count);
            fields.resize(fields.size() + 100);
            Bytes content;
            append_varint(content, fields.size());
            content.insert(content.end(), fields.begin(), fields.end());
            HostileFile file;
            file.add_definitions(content);
            INFO("list " << list << " with " << count);
            const TestFolder folder;
            check_survives(file.write(folder.path()), 1, "definitions cannot be read", {"info --json "});
        }
    }
}

TEST_CASE("millions of empty definitions", "[hostile]") {
    for (int list = 0; list < 11; ++list) {
        Bytes fields(static_cast<std::size_t>(list));
        append_varint(fields, 30 << 20);
        fields.resize(fields.size() + (30 << 20));
        Bytes content;
        append_varint(content, fields.size());
        content.insert(content.end(), fields.begin(), fields.end());
        HostileFile file;
        BlockHeader header = of_kind(BlockKind::definitions);
        file.add(header, content);
        const TestFolder folder;
        check_survives(file.write(folder.path()), 1, "", {"info --json "});
    }
}

TEST_CASE("a header with absurd lengths", "[hostile]") {
    const Bytes struct_too_long = varints({huge, 1, 2, 3});
    const Bytes host_too_long = varints({12, 77, 0, 1, huge, 1, 1});
    for (const Bytes& content : {struct_too_long, host_too_long}) {
        HostileFile file;
        file.bytes.clear();
        file.index = {};
        file.add(of_kind(BlockKind::header), content);
        check_open(file, 1, "does not begin with a header block");
    }
}

TEST_CASE("an index that points to itself, back, to the header, beyond the end", "[hostile]") {
    using Spoil = void (*)(HostileFile&);
    const Spoil spoil[] = {
        [](HostileFile& f) { f.index.blocks.back().offset = f.bytes.size(); }, // close() puts definitions here
        [](HostileFile& f) { f.index.blocks.back().offset = f.bytes.size() * 2 + 4096; },
        [](HostileFile& f) { f.index.blocks.back().offset = ~std::uint64_t{0} - 7; },
        [](HostileFile& f) { f.index.blocks.back().offset = 0; },
        [](HostileFile& f) { f.index.blocks.back().offset += 4; },
        [](HostileFile& f) { std::swap(f.index.blocks[1], f.index.blocks[2]); },
    };
    for (const Spoil& spoil_it : spoil) {
        HostileFile file;
        for (std::uint64_t i = 0; i < 3; ++i) file.add_records(some_records(10), 0, i);
        spoil_it(file);
        check_closed(file, 1, "one behind the other");
    }
    HostileFile many;
    many.add_records(some_records(10));
    many.index.blocks.resize(100'000, many.index.blocks.back());
    check_closed(many, 1, "more blocks than fit");
    HostileFile looped;
    looped.add_records(some_records(10));
    looped.index.previous = ~std::uint64_t{0} - 7;
    check_closed(looped, 1, "in a circle");
}

TEST_CASE("an index that says other things than the blocks", "[hostile]") {
    using Spoil = void (*)(IndexEntry&);
    const Spoil spoil[] = {[](IndexEntry& e) { e.lane = 5; }, [](IndexEntry& e) { e.sequence = huge; },
                           [](IndexEntry& e) { e.records = huge; }, [](IndexEntry& e) { e.calls = ~std::uint64_t{0}; }};
    for (const Spoil& spoil_it : spoil) {
        HostileFile file;
        for (std::uint64_t i = 0; i < 3; ++i) file.add_records(some_records(10), 0, i);
        spoil_it(file.index.blocks.back());
        check_closed(file, 1, "something else than it says", reading_commands);
    }
}

TEST_CASE("a tail that points anywhere", "[hostile]") {
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{3}, huge, ~std::uint64_t{0}}) {
        HostileFile file;
        file.add_records(some_records(10));
        append_raw(file.bytes, Tail{.index_offset = offset});
        check_open(file, 1, "rank-000000.trace: ");
    }
}

TEST_CASE("blocks inside blocks", "[hostile]") {
    HostileFile inner;
    inner.bytes.clear();
    inner.add_records(some_records(10), 7);
    HostileFile file;
    const std::uint64_t outer = file.add(of_kind(BlockKind::records), inner.bytes);
    file.index.blocks.push_back({outer + sizeof(BlockHeader), BlockKind::records, 7, 0, 0, 0, 10, 10});
    check_closed(file, 1, "reaches into the next one", reading_commands);
}

TEST_CASE("a chain of blocks, each around the next", "[hostile]") {
    Bytes nested;
    for (int depth = 0; depth < 3000; ++depth) {
        HostileFile around;
        around.bytes.clear();
        BlockHeader header = of_kind(static_cast<BlockKind>(2));
        // Every other block is from another run, so that its content is looked into.
        header.job = depth % 2 == 0 ? 77 : 78;
        around.add(header, nested);
        nested = around.bytes;
    }
    HostileFile file;
    file.bytes.insert(file.bytes.end(), nested.begin(), nested.end());
    check_open(file, 1, "of another run");
}

TEST_CASE("a block of another job, and two blocks for one place", "[hostile]") {
    HostileFile file;
    BlockHeader foreign = of_kind(BlockKind::definitions);
    foreign.job = 78;
    file.add(foreign, varints({0}));
    check_open(file, 1, "another run");
    HostileFile twice;
    for (int i = 0; i < 2; ++i) twice.add_records(some_records(10));
    check_closed(twice, 0, ""); // the later block counts, as after a flush in the middle of a run
}

TEST_CASE("content that packs too well is kept as it is, so that it can be read", "[hostile]") {
    Definitions more;
    more.symbols = {{1, std::string(8 << 20, 'x'), false, 0, 0}};
    Bytes content;
    write_value(content, more);
    const Bytes block = pack_block(of_kind(BlockKind::definitions), content);
    BlockHeader header;
    std::memcpy(static_cast<void*>(&header), block.data(), sizeof header);
    CHECK(header.packing == Packing::bare);
    CHECK(check_header(header, block.size()));
}

TEST_CASE("a million tiny blocks, and as many lanes as blocks", "[hostile]") {
    struct Case {
        std::uint64_t blocks;
        bool closed;
        bool lanes;
    };
    for (const Case& wanted : {Case{1'000'000, false, false}, Case{50'000, true, false}, Case{50'000, true, true}}) {
        HostileFile file;
        BlockHeader tiny = of_kind(BlockKind::records);
        for (std::uint64_t i = 0; i < (sanitized ? 20'000 : wanted.blocks); ++i) {
            tiny.lane = wanted.lanes ? static_cast<std::uint32_t>(i) : 0;
            tiny.sequence = wanted.lanes ? 0 : i;
            file.add(tiny, Bytes(1));
        }
        if (wanted.closed) file.close();
        const TestFolder folder;
        check_survives(file.write(folder.path()), wanted.closed ? 0 : 1, "");
    }
}

TEST_CASE("columns that contradict each other", "[hostile]") {
    std::map<Column, Bytes> columns = one_call();
    const auto check = [&](std::uint32_t records) {
        HostileFile file;
        file.add_columns(columns, records);
        check_closed(file, 1, "contradict each other", reading_commands);
        columns = one_call();
    };
    columns[Column::signature] = varints({2}); // the dictionary has one entry
    check(1);
    columns[Column::signature] = varints({~std::uint64_t{0}});
    check(1);
    columns[Column::word_count] = varints({0xffffffff});
    columns[Column::words] = Bytes(1 << 20);
    check(1);
    columns[Column::function] = varints({static_cast<std::uint64_t>(Function::Waitall)});
    columns[Column::word_count] = varints({0xffffffff});
    columns[Column::completion] = Bytes(1 << 20);
    check(1);
    check(0xffffffff);
    columns[Column::enter] = Bytes(10, 0xff);
    check(1);
}

TEST_CASE("ticks and durations beyond all clocks", "[hostile]") {
    constexpr std::uint64_t half = std::uint64_t{1} << 63;
    for (const std::uint64_t duration : {half, ~std::uint64_t{0}, half - 1}) {
        for (const std::uint64_t enter : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0} - 1, half}) {
            std::map<Column, Bytes> columns = one_call();
            columns[Column::enter] = varints({0, 0});
            columns[Column::duration] = varints({0, 0});
            columns[Column::odd_times] = varints({enter, duration, enter, duration});
            columns[Column::signature] = varints({1, 1});
            HostileFile file;
            file.add_columns(columns, 2);
            check_closed(file, 0, "");
        }
    }
}

TEST_CASE("anchors at the ends of time", "[hostile]") {
    constexpr std::int64_t low = INT64_MIN;
    constexpr std::int64_t high = INT64_MAX;
    for (const auto& [begin, end] : {std::pair{low, high}, std::pair{high, low}, std::pair{low, low}}) {
        Header header = made_ranks(1).front().header;
        header.start = {0, begin, begin};
        HostileFile file{header};
        Definitions more;
        more.anchors = {{~Ticks{0}, end, end}, {1, low, high}, {1, high, low}};
        file.add_definitions(more);
        file.add_records(some_records(10));
        check_open(file, 1, "ends without an index");
    }
}

TEST_CASE("communicators with impossible members", "[hostile]") {
    for (const std::int64_t count : {INT64_MIN, std::int64_t{-1}, INT64_MAX}) {
        Definitions more;
        more.comms = {{.number = 3,
                       .identity = 3,
                       .my_rank = 0xffffffff,
                       .members = {{INT64_MAX, count, INT64_MAX}, {INT64_MIN, count, INT64_MIN}},
                       .remote = {},
                       .name = {},
                       .sources = {{-5, count, 0}},
                       .destinations = {{5, count, 0}}}};
        HostileFile file;
        file.add_definitions(more);
        std::vector<Record> records;
        for (const Function function : {Function::Send, Function::Recv, Function::Bcast, Function::Alltoallv,
                                        Function::Neighbor_alltoall, Function::Allgather}) {
            MadeRecord made =
                made_message(function, records.size() * 100, records.size() * 100 + 10, INT32_MAX, 1, huge);
            made.record.what.comm = 3;
            records.push_back(made.record);
        }
        file.add_records(records);
        check_closed(file, 0, "");
    }
}
