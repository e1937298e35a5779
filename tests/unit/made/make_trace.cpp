#include "tests/unit/made/make_trace.hpp"

#include "trace/block.hpp"
#include "trace/codec.hpp"
#include "trace/fields.hpp"
#include "trace/manifest.hpp"
#include "trace/rank_file.hpp"
#include "trace/sample.hpp"
#include "trace/symbols.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace tactus {
namespace fs = std::filesystem;

namespace {

// A rank file in memory, with the index that its end will need.
class Builder {
  public:
    explicit Builder(const MadeRank& rank) : rank_{rank} {}

    [[nodiscard]] const Index& index() const { return index_; }

    Bytes build() {
        append(BlockKind::header, rank_.header);
        Definitions first;
        first.modules = rank_.definitions.modules;
        append(BlockKind::definitions, first);
        for (const MadeLane& lane : rank_.lanes) append_lane(lane);
        if (rank_.closed) close();
        return std::move(bytes_);
    }

  private:
    template <class T> void append(BlockKind kind, const T& value) {
        Bytes content;
        write_value(content, value);
        BlockHeader header;
        header.kind = kind;
        header.job = rank_.header.job;
        index_.blocks.push_back({.offset = bytes_.size(), .kind = kind});
        const Bytes block = pack_block(header, content);
        bytes_.insert(bytes_.end(), block.begin(), block.end());
    }

    static std::vector<Record> slots_of(const MadeLane& lane, std::size_t first, std::size_t end) {
        std::vector<Record> slots;
        for (std::size_t i = first; i < end; ++i) {
            MadeRecord made = lane.records[i];
            made.record.what.words = static_cast<std::uint32_t>(made.words.size());
            slots.push_back(made.record);
            for (std::size_t word = 0; word < made.words.size(); word += words_per_slot) {
                Continuation more;
                for (std::size_t w = 0; w < words_per_slot && word + w < made.words.size(); ++w)
                    more.words[w] = made.words[word + w];
                std::memcpy(static_cast<void*>(&slots.emplace_back()), &more, sizeof more);
            }
        }
        return slots;
    }

    void append_lane(const MadeLane& lane) {
        std::uint64_t sequence = lane.first_sequence;
        for (std::size_t first = 0; first < lane.records.size(); first += lane.records_a_block) {
            const std::size_t end = std::min(first + lane.records_a_block, lane.records.size());
            const std::vector<Record> slots = slots_of(lane, first, end);
            BlockEncoder encoder{slots.size()};
            Bytes block(encoder.most_bytes());
            BlockHeader header;
            header.lane = lane.number;
            header.sequence = sequence++;
            header.job = rank_.header.job;
            header.first = lane.records[first].record.enter; // of a region that began before the block
            for (std::size_t i = first; i < end; ++i)
                header.first = std::min(header.first, lane.records[i].record.enter);
            block.resize(encoder.encode(slots, header, block.data()));
            std::memcpy(static_cast<void*>(&header), block.data(), sizeof header);
            index_.blocks.push_back({bytes_.size(), BlockKind::records, header.lane, header.sequence, header.first,
                                     header.last, header.records, header.calls});
            bytes_.insert(bytes_.end(), block.begin(), block.end());
        }
    }

    void close() {
        Definitions closing = rank_.definitions;
        constexpr Ticks second = 1'000'000'000;
        const Anchor& start = rank_.header.start;
        closing.anchors.push_back(
            {start.tick + second, start.monotonic_ns + std::int64_t{second}, start.realtime_ns + std::int64_t{second}});
        append(BlockKind::definitions, closing);
        const Tail tail{.index_offset = bytes_.size()};
        const Index index = index_;
        append(BlockKind::index, index);
        append_raw(bytes_, tail);
    }

    const MadeRank& rank_;
    Bytes bytes_;
    Index index_;
};

} // namespace

MadeRecord made_call(Function function, Ticks enter, Ticks leave) {
    MadeRecord made;
    made.record.enter = made_start + enter;
    made.record.leave = made_start + leave;
    made.record.what.function = function;
    return made;
}

MadeRecord made_stretch(Ticks at, const Stretch& stretch) {
    MadeRecord made = made_call(Function{}, at, at + 1);
    made.record.what.kind = Kind::stretch;
    const auto words = stretch.put();
    made.words.assign(words.begin(), words.end());
    return made;
}

MadeRecord made_sample(Ticks at, std::uint32_t lane, std::uint64_t place, std::uint32_t path, std::int32_t call,
                       const std::string& file) {
    MadeRecord made = made_call(Function{}, at, at);
    made.record.what = {
        .place = place, .bytes = file.size(), .comm = path, .peer = call, .type = lane + 1, .kind = Kind::sample};
    append_text(made.words, file);
    return made;
}

MadeRecord made_path(Ticks at, std::uint32_t number, std::uint64_t callers, std::uint64_t place) {
    MadeRecord made = made_call(Function{}, at, at);
    made.record.what = {.place = place, .bytes = callers, .comm = number, .kind = Kind::path};
    return made;
}

MadeRecord made_script(Ticks at, std::uint64_t number, std::int32_t line, const std::string& function,
                       const std::string& file) {
    MadeRecord made = made_call(Function{}, at, at);
    made.record.what = {.place = sampled::script_places | number,
                        .bytes = function.size() + file.size(),
                        .comm = static_cast<std::uint32_t>(function.size()),
                        .tag = line,
                        .kind = Kind::script};
    append_text(made.words, function + file);
    return made;
}

MadeRecord made_message(Function function, Ticks enter, Ticks leave, std::int32_t peer, std::int32_t tag,
                        std::uint64_t bytes) {
    MadeRecord made = made_call(function, enter, leave);
    made.record.what.comm = 1;
    made.record.what.peer = peer;
    made.record.what.tag = tag;
    made.record.what.bytes = bytes;
    return made;
}

namespace {

MadeRecord made_note(Kind kind, std::uint32_t number, Ticks enter, Ticks leave, std::vector<std::int64_t> words = {}) {
    MadeRecord made = made_call(Function{}, enter, leave);
    made.record.what.kind = kind;
    made.record.what.type = number;
    made.words = std::move(words);
    return made;
}

MadeRecord made_definition(SymbolTable table, std::uint32_t number, Ticks tick, std::vector<std::int64_t> words) {
    MadeRecord made = made_note(Kind::symbol, number, tick, tick, std::move(words));
    made.record.what.tag = static_cast<std::int32_t>(table);
    return made;
}

} // namespace

std::vector<MadeRecord> made_application_records() {
    const Counter speed{.number = 1, .name = "solver:speed", .unit = "m/s", .type = CounterType::floating};
    MadeRecord value = made_note(Kind::counter, 1, 13'500, 13'500);
    value.record.what.bytes = 0x3fe0000000000000; // 0.5
    MadeRecord region = made_note(Kind::region, 1, 11'000, 14'000);
    region.record.what.tag = 1;
    MadeRecord comment = made_note(Kind::comment, 0, 15'000, 15'000);
    comment.record.what.bytes = 9;
    append_text(comment.words, "half way!");
    return {made_definition(SymbolTable::symbols, 1, 10'000, to_words(Symbol{.name = "solver:step"})),
            made_definition(SymbolTable::counters, 1, 10'001, to_words(speed)),
            made_definition(SymbolTable::scls, 1, 10'002, to_words(Scl{.number = 1, .file = "solve.c", .line = 12})),
            made_definition(SymbolTable::threads, 0, 10'003, to_words(ThreadName{.index = 7, .name = "worker"})),
            made_message(Function::Barrier, 12'000, 13'000, peer::none, 0, 0),
            value,
            region,
            comment};
}

SyncRound made_round(std::uint32_t number, Ticks at, std::int64_t ahead_ns) {
    SyncRound round{.reason = number == 0 ? RoundReason::init : RoundReason::timesync, .number = number, .samples = {}};
    for (Ticks i = 0; i < 20; ++i) {
        const Ticks sent = made_start + at + 2000 * i;
        round.samples.push_back({sent, sent + 500 - static_cast<Ticks>(ahead_ns), sent + 1000});
    }
    return round;
}

std::vector<MadeRank> made_ranks(std::uint32_t count, std::uint64_t job) {
    std::vector<MadeRank> ranks(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        Header& header = ranks[i].header;
        header.job = job;
        header.rank = i;
        header.ranks = count;
        header.host = "node1";
        header.boot_id = "none";
        header.program = "/opt/app/app";
        header.mpi = "Open MPI 4.1.4";
        header.start = {made_start, std::int64_t{made_start}, made_realtime_ns};
        header.overhead_ps_per_call = 40'000;
        Comm world{.number = 1,
                   .identity = 1,
                   .my_rank = i,
                   .members = {{0, count, 1}},
                   .remote = {},
                   .name = "MPI_COMM_WORLD"};
        Comm self{.number = 2,
                  .identity = 2 + i,
                  .my_rank = 0,
                  .members = {{i, 1, 1}},
                  .remote = {},
                  .name = "MPI_COMM_SELF"};
        ranks[i].definitions.comms = {world, self};
        ranks[i].definitions.totals = {Totals{}};
        ranks[i].definitions.totals[0].lost.resize(loss_count);
    }
    return ranks;
}

std::vector<std::string> write_trace(const fs::path& trace, const std::vector<MadeRank>& ranks) {
    std::vector<std::string> paths;
    Manifest manifest = manifest_of(ranks.front().header);
    manifest.losses = named_losses(std::vector<std::uint64_t>(loss_count));
    for (const MadeRank& rank : ranks) {
        const fs::path path = trace / rank_file_name(rank.header.rank);
        fs::create_directories(path.parent_path());
        Builder builder{rank};
        const Bytes bytes = builder.build();
        std::ofstream file{path, std::ios::binary};
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        paths.push_back(path.string());
        manifest.bytes += bytes.size();
        for (const IndexEntry& block : builder.index().blocks) {
            manifest.calls += block.calls;
            manifest.records += block.records;
        }
    }
    const bool closed = std::all_of(ranks.begin(), ranks.end(), [](const MadeRank& rank) { return rank.closed; });
    if (closed && !write_manifest(trace.string(), manifest)) throw std::runtime_error{"no manifest: " + trace.string()};
    return paths;
}

} // namespace tactus
