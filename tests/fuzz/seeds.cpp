// Writes the corpora that the fuzzers start from: small valid inputs for every fuzzer. Usage: fuzz_seeds FOLDER
#include "postproc/lod/slots.hpp"
#include "python_memory.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "trace/codec.hpp"
#include "trace/fields.hpp"
#include "trace/lane_contents.hpp"
#include "trace/manifest.hpp"
#include "trace/rank_file.hpp"
#include "writer/lane.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>

using namespace tactus;
namespace fs = std::filesystem;

static void put(const fs::path& path, const std::string& bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream{path, std::ios::binary} << bytes;
}

static std::string get(const fs::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

// A rank file with uncompressed blocks, so that changes of single bytes reach the decoders.
static std::string bare(const std::string& file) {
    Bytes out;
    std::map<std::uint64_t, std::uint64_t> moved; // old and new offsets
    for (std::size_t offset = 0; offset + sizeof(BlockHeader) <= file.size();) {
        BlockHeader header;
        std::memcpy(static_cast<void*>(&header), file.data() + offset, sizeof header);
        const auto* payload = reinterpret_cast<const std::uint8_t*>(file.data()) + offset + sizeof header;
        auto content = unpack_block(header, {payload, header.stored_size});
        if (!content) return {};
        moved[offset] = out.size();
        offset += padded(sizeof header + header.stored_size);
        if (header.kind == BlockKind::index) {
            Index index;
            ByteReader in{*content};
            read_value(in, index);
            for (IndexEntry& entry : index.blocks) entry.offset = moved[entry.offset];
            content->clear();
            write_value(*content, index);
        }
        header.packing = Packing::bare;
        header.raw_size = header.stored_size = content->size();
        header.checksum = checksum_of(header, *content);
        const Tail tail{.index_offset = out.size()};
        append_raw(out, header);
        out.insert(out.end(), content->begin(), content->end());
        out.resize(padded(out.size()));
        if (header.kind != BlockKind::index) continue;
        append_raw(out, tail);
        break;
    }
    return {out.begin(), out.end()};
}

template <class Number> static void set(std::string& bytes, std::size_t at, Number number) {
    std::memcpy(bytes.data() + at, &number, sizeof number);
}

// Tables of one function of 64 bytes, which begins 512 bytes behind them, and an address in it to look up.
static std::string frame_tables() {
    std::string tables(96, '\0');
    const auto text = [&](std::size_t at, const std::string& bytes) { tables.replace(at, bytes.size(), bytes); };
    text(0, {1, 0x1b, 0x03, 0x3b}); // the header
    set(tables, 4, 24 - 4);         // where the tables begin
    set(tables, 8, 1);              // one function
    set(tables, 12, 512);
    set(tables, 16, 48);
    set(tables, 24, 20); // what all functions have in common
    text(32, {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, static_cast<char>(0x90), 1});
    set(tables, 48, 32); // the function
    set(tables, 52, 52 - 24);
    set(tables, 56, 512 - 56);
    set(tables, 60, 64);
    text(65, {0x41, 0x0e, 16, static_cast<char>(0x86), 2, 0x43, 0x0d, 6});
    std::string input(8, '\0');
    set(input, 4, 520);
    return input + tables;
}

// A thread of Python 3.11 in one function.
static std::string python_memory_of_one() {
    using python_memory::relative;
    constexpr std::size_t interpreter = 0x100;
    constexpr std::size_t state = 0x200;
    constexpr std::size_t outer = 0x300;
    constexpr std::size_t frame = 0x340;
    constexpr std::size_t code = 0x400;
    constexpr std::size_t name = 0x500;
    constexpr std::size_t file = 0x540;
    constexpr std::size_t lines = 0x580;
    std::string memory(0x600, '\0');
    set(memory, 40, relative(interpreter));
    set(memory, interpreter + 16, relative(state));
    set(memory, state + 56, relative(outer));
    set(memory, state + 160, std::uint64_t{python_memory::thread});
    set(memory, outer + 8, relative(frame));
    set(memory, frame + 32, relative(code));
    set(memory, frame + 56, relative(code + 184 + 4));
    set(memory, code + 8, relative(python_memory::code_type));
    set(memory, code + 72, 12);
    set(memory, code + 112, relative(file));
    set(memory, code + 128, relative(name));
    set(memory, code + 136, relative(lines));
    for (const auto& [at, text] : {std::pair{name, "step"}, std::pair{file, "s.py"}}) {
        set(memory, at + 16, std::uint64_t{4});
        set(memory, at + 32, 1U << 2 | 1U << 5 | 1U << 6);
        memory.replace(at + 48, 4, text);
    }
    set(memory, lines + 16, std::uint64_t{6});
    memory.replace(lines + 32, 6, "\xd9\x01\x02\xe9\x04\x03");
    return '\0' + memory;
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const fs::path corpus = argv[1];
    auto ranks = made_ranks(2);
    MadeLane lane;
    for (Ticks i = 0; i < 40; ++i) {
        lane.records.push_back(
            made_message(i % 2 ? Function::Send : Function::Recv, 100 * i + 10, 100 * i + 60, 1, 7, 8));
        lane.records.push_back(
            {made_call(Function::Waitall, 100 * i + 70, 100 * i + 80).record, {4, 7, 8, envelope_word(1, 3)}});
        lane.records.push_back({made_call(Function::Alltoallv, 100 * i + 85, 100 * i + 95).record, {5, 1, 4, 1, 2}});
    }
    for (MadeRecord& said : made_application_records()) lane.records.push_back(std::move(said));
    ranks[0].definitions.symbols = {{1, "solver:step", false, 0, 0}};
    ranks[0].definitions.counters = {{.number = 1, .name = "solver:speed", .unit = "m/s"}};
    ranks[0].definitions.scls = {{1, "solve.c", 12}};
    ranks[0].definitions.threads = {{0, 7, "worker"}};
    ranks[0].lanes.push_back(lane);
    const auto files = write_trace(corpus / "trace.tactus", ranks);
    const std::string file = get(files[0]);
    put(corpus / "rank_file/whole", file);
    put(corpus / "rank_file/cut", file.substr(0, file.size() / 2));
    for (const char* target : {"rank_file", "report", "timeline"}) {
        const std::string plain = bare(file);
        put(corpus / target / "bare", plain);
        put(corpus / target / "bare_cut", plain.substr(0, plain.size() - sizeof(Tail)));
    }
    put(corpus / "manifest/whole", get(manifest_path(corpus / "trace.tactus")));
    auto opened = RankFile::open(files[0]);
    if (!opened) return 1;
    for (const IndexEntry& entry : opened->blocks()) {
        const std::string block = file.substr(entry.offset);
        put(corpus / "block" / std::to_string(entry.offset), block);
        BlockHeader header;
        std::memcpy(&header, block.data(), sizeof header);
        auto content = unpack_block(
            header, {reinterpret_cast<const std::uint8_t*>(block.data()) + sizeof header, header.stored_size});
        if (!content) return 1;
        std::string records{static_cast<char>(header.records & 255), static_cast<char>(header.records >> 8)};
        records.append(content->begin(), content->end());
        put(corpus / "records" / std::to_string(entry.offset), records);
    }
    Bytes bytes;
    write_value(bytes, opened->header());
    put(corpus / "definitions/header", {bytes.begin(), bytes.end()});
    bytes.clear();
    write_value(bytes, opened->definitions());
    put(corpus / "definitions/definitions", {bytes.begin(), bytes.end()});
    Definitions clocks;
    clocks.anchors = {{made_start, 0, 0}, {made_start + 1'000'000'000, 1'000'000'000, 1'000'000'000}};
    clocks.clock_places.push_back({.relation = ClockRelation::measured, .master = 0, .level = 1});
    for (std::uint32_t round = 0; round < 9; ++round)
        clocks.sync_rounds.push_back(made_round(round, Ticks{100'000'000} * round, 1000 + 500 * (round % 3)));
    bytes.clear();
    write_value(bytes, clocks);
    put(corpus / "clocks/rounds", {bytes.begin(), bytes.end()});
    SlotsMaker slots{0, 10, 256};
    slots.add(Span{90'000, 99'000, 3}, 0, 99'000);
    for (GlobalTime time = 90'000; time > 0; time -= 300)
        slots.add(Span{time - 300, time, time % 7 == 0 ? 4U : 0U}, 0, time);
    bytes = encode(slots.take());
    put(corpus / "timeline/slots", {bytes.begin(), bytes.end()});
    LaneHeader header;
    header.buffers = 2;
    header.slots = 4;
    header.buffer[0].filled = 2;
    std::string image(lane_size(2, 4), '\1');
    std::memcpy(image.data(), &header, sizeof header);
    put(corpus / "lane/small", image);
    put(corpus / "options/config", "LOGFILE-NAME \"a b\" # c\nINIT_TIMEOUT 1m+30s\nVERBOSE on\n0");
    put(corpus / "options/rules", "MPI:*send off; \"a b:**[a-z]?\" on\nMPI:MPI_Bcast 0:31");
    put(corpus / "options/ranks", "0:N:2 off; 1, 3:N no4");
    put(corpus / "options/windows", "0:1, 7m:12m+1.5s5");
    put(corpus / "options/counters", "cycles on; \"solver:* x\" off6");
    put(corpus / "frames/one", frame_tables());
    put(corpus / "python/one", python_memory_of_one());
    put(corpus / "program/elf", get("/bin/true").substr(0, 65536));
    put(corpus / "program/cache", get("/etc/ld.so.cache").substr(0, 65536));
    std::printf("seeds are in %s\n", corpus.c_str());
}
