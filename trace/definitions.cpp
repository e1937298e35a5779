#include "trace/definitions.hpp"

#include "trace/codec.hpp"
#include "trace/fields.hpp"

namespace tactus {

std::vector<RankRun> runs_of(std::span<const std::int32_t> ranks) {
    std::vector<RankRun> runs;
    for (const std::int32_t rank : ranks) {
        if (!runs.empty()) {
            RankRun& last = runs.back();
            if (last.count == 1 && rank >= 0 && last.first >= 0 && rank != last.first) last.stride = rank - last.first;
            if (rank >= 0 && last.first >= 0 && rank == last.first + last.count * last.stride) {
                ++last.count;
                continue;
            }
            if (last.count == 1) last.stride = 1;
        }
        runs.push_back({rank, 1, 1});
    }
    return runs;
}

void append_runs(std::vector<std::int64_t>& words, const std::vector<RankRun>& runs) {
    words.push_back(static_cast<std::int64_t>(runs.size()));
    for (const RankRun& run : runs) words.insert(words.end(), {run.first, run.count, run.stride});
}

namespace {

std::uint64_t count_of(const std::vector<RankRun>& runs) {
    std::uint64_t count = 0;
    for (const RankRun& run : runs) count += static_cast<std::uint64_t>(run.count);
    return count;
}

} // namespace

bool take_runs(std::span<const std::int64_t>& words, std::vector<RankRun>& runs) {
    if (words.empty()) return false;
    const auto count = static_cast<std::uint64_t>(words[0]);
    words = words.subspan(1);
    if (count > words.size() / 3) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (words[1] < 0) return false;
        runs.push_back({words[0], words[1], words[2]});
        words = words.subspan(3);
    }
    return true;
}

std::uint64_t Comm::size() const { return count_of(members); }

std::int64_t Comm::world_rank(std::int64_t rank) const {
    if (rank < 0) return -1;
    for (const RankRun& run : remote.empty() ? members : remote) {
        std::int64_t world = 0;
        if (run.count < 0) return -1; // a definition read from a damaged file may say anything
        if (rank < run.count)
            return __builtin_mul_overflow(rank, run.stride, &world) || __builtin_add_overflow(world, run.first, &world)
                       ? -1
                       : world;
        rank -= run.count;
    }
    return -1;
}

std::vector<std::int64_t> to_words(const Comm& comm) {
    std::vector<std::int64_t> words = {comm.number, static_cast<std::int64_t>(comm.identity),
                                       static_cast<std::int64_t>(comm.made_by), comm.parent, comm.my_rank};
    append_runs(words, comm.members);
    append_runs(words, comm.remote);
    if (comm.sources.empty() && comm.destinations.empty()) return words;
    append_runs(words, comm.sources);
    append_runs(words, comm.destinations);
    return words;
}

bool from_words(std::span<const std::int64_t> words, Comm& comm) {
    if (words.size() < 5) return false;
    comm.number = static_cast<std::uint32_t>(words[0]);
    comm.identity = static_cast<std::uint64_t>(words[1]);
    comm.made_by = static_cast<Function>(words[2]);
    comm.parent = static_cast<std::uint32_t>(words[3]);
    comm.my_rank = static_cast<std::uint32_t>(words[4]);
    words = words.subspan(5);
    if (!take_runs(words, comm.members) || !take_runs(words, comm.remote)) return false;
    return words.empty() || (take_runs(words, comm.sources) && take_runs(words, comm.destinations));
}

std::vector<std::int64_t> to_words(const SharedObject& object) {
    std::vector<std::int64_t> words = {object.number, static_cast<std::int64_t>(object.identity),
                                       static_cast<std::int64_t>(object.made_by), object.comm,
                                       static_cast<std::int64_t>(object.name.size())};
    append_text(words, object.name);
    return words;
}

bool from_words(std::span<const std::int64_t> words, SharedObject& object) {
    if (words.size() < 5) return false;
    object.number = static_cast<std::uint32_t>(words[0]);
    object.identity = static_cast<std::uint64_t>(words[1]);
    object.made_by = static_cast<Function>(words[2]);
    object.comm = static_cast<std::uint32_t>(words[3]);
    object.name = text_in(words.subspan(5), static_cast<std::uint64_t>(words[4]));
    return true;
}

std::vector<SchemaEntry> schema() {
    std::vector<SchemaEntry> entries = {{"Header", describe_fields<Header>()},
                                        {"Comm", describe_fields<Comm>()},
                                        {"RankRun", describe_fields<RankRun>()},
                                        {"Datatype", describe_fields<Datatype>()},
                                        {"SharedObject", describe_fields<SharedObject>()},
                                        {"Module", describe_fields<Module>()},
                                        {"Anchor", describe_fields<Anchor>()},
                                        {"Totals", describe_fields<Totals>()},
                                        {"Definitions", describe_fields<Definitions>()},
                                        {"Symbol", describe_fields<Symbol>()},
                                        {"Counter", describe_fields<Counter>()},
                                        {"Scl", describe_fields<Scl>()},
                                        {"ThreadName", describe_fields<ThreadName>()},
                                        {"NcclComm", describe_fields<NcclComm>()},
                                        {"NcclWork", describe_fields<NcclWork>()},
                                        {"TestClock", describe_fields<TestClock>()},
                                        {"ClockPlace", describe_fields<ClockPlace>()},
                                        {"SyncRound", describe_fields<SyncRound>()},
                                        {"SyncSample", describe_fields<SyncSample>()},
                                        {"TimeMap", describe_fields<TimeMap>()},
                                        {"ClockKnot", describe_fields<ClockKnot>()},
                                        {"ClockNote", describe_fields<ClockNote>()},
                                        {"Machine", describe_fields<Machine>()},
                                        {"OsReading", describe_fields<OsReading>()},
                                        {"ThreadTime", describe_fields<ThreadTime>()}};
    for (const ColumnText& column : column_texts)
        entries.push_back({std::to_string(static_cast<int>(column.column)), column.meaning});
    return entries;
}

} // namespace tactus
