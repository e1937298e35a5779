#include "collector/postprocess.hpp"

#include "base/log.hpp"
#include "base/mpi/own_operation.hpp"
#include "base/shell_word.hpp"
#include "collector/replay_wire.hpp"
#include "postproc/finish/finish_options.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/replay/event.hpp"

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sys/vfs.h>
#include <utility>

namespace tactus {
namespace {

constexpr std::uint64_t event_bytes = sizeof(Event) * 3 / 2; // a record's events, about; their calls take as much
constexpr std::uint64_t records_in_memory = 1'000'000;       // when events may be paged to a file
constexpr std::uint64_t most_records = 4'000'000;            // when they may not
constexpr std::uint64_t most_paged_records = 30'000'000;

// Whether events may be paged to a file beside the trace. The file system must let an allocated file be written through
// mapped memory whatever happens, which network file systems do not promise. There must also be so much free space that
// nobody misses it.
bool may_page(const char* folder, std::uint64_t records, std::uint32_t ranks) {
    constexpr std::uint64_t ext = 0xEF53;
    constexpr std::uint64_t xfs = 0x58465342;
    constexpr std::uint64_t left_to_others = 4;
    struct statfs system {};
    if (statfs(folder, &system) != 0) return false;
    const auto type = static_cast<std::uint64_t>(system.f_type);
    const std::uint64_t room = static_cast<std::uint64_t>(system.f_bavail) * static_cast<std::uint64_t>(system.f_bsize);
    return (type == ext || type == xfs) && room / left_to_others / ranks > records * 2 * event_bytes;
}

// Whether a trace of so many records can be finished here. The application needs memory, too, so this allocates what
// the trace takes and frees it at once. A trace that is too large is finished later, by another process.
bool has_memory(std::uint64_t records, bool paged) {
    constexpr std::uint64_t a_record = 112 + event_bytes;
    constexpr std::uint64_t all = 64ULL << 20; // what does not depend on the records, and what others take meanwhile
    if (records > (paged ? most_paged_records : most_records)) return false;
    void* const trial = std::malloc(records * a_record + all);
    std::free(trial);
    return trial != nullptr;
}

enum class Answer { yes, no, none };

// Whether all ranks say yes. none: they did not all answer in time.
Answer ask_all(MPI_Comm comm, bool mine, std::int64_t deadline_ns) {
    std::array<std::int64_t, 1> least{mine ? 1 : 0};
    if (!Together{comm, deadline_ns}.reduce(least, handle.MIN)) return Answer::none;
    return least[0] == 1 ? Answer::yes : Answer::no;
}

// The options of rank 0, which hold for all ranks; nothing when the others did not come.
std::optional<FinishOptions> agreed_options(const Postprocessing& work, bool paged, std::int64_t deadline_ns) {
    FinishOptions wanted = finish_options(work.options);
    if (!Together{work.comm, deadline_ns}.broadcast(wanted)) return {};
    wanted.origin_realtime_ns = work.origin_realtime_ns;
    if (paged) wanted.paging = {work.directory.c_str(), records_in_memory * event_bytes};
    wanted.most_events = (paged ? most_paged_records : most_records) * 3 / 2;
    wanted.most_messages = 10'000'000; // all their notes may be here at once, because senders do not wait
    wanted.most_comings = 4'000'000;
    return wanted;
}

// Appends the result to this rank's file.
void store(const Postprocessing& work, const RankFile& file, const Finished& done, bool late) {
    const auto news = news_for(file, done, 0, work.header.rank == 0);
    RankIndex index;
    if (!late) index = index_for(file, done, 0);
    const Definitions more = news.value_or(Definitions{});
    bool good = (!news && index.blocks.empty()) || work.writer.append_to_closed(index.blocks, more);
    if (!good && !index.blocks.empty())
        good = work.writer.append_to_closed({}, more); // the time line can be made again
    if (!good)
        sayf("rank %u: the corrected clock could not be written to %s: %s; `tactus finish` tries it again",
             work.header.rank, work.directory.c_str(), strerror(work.writer.last_errno()));
}

struct Deadlines {
    std::int64_t soon_ns; // when to stop between two steps
    std::int64_t last_ns; // when to believe that others are gone
};

// Plays this rank's file and stores the result. False: the wire broke.
bool play(const Postprocessing& work, RankFile&& file, const FinishOptions& wanted, Deadlines deadlines) {
    const Header& header = work.header;
    Trace trace;
    trace.path = work.directory;
    trace.ranks.push_back(std::move(file));
    auto wire = std::make_unique<MpiReplayWire>(work.comm, header.rank, Seats{header.ranks, header.ranks},
                                                deadlines.soon_ns, deadlines.last_ns);
    const Finished done = finish(trace, *wire, wanted, [](const char*) {});
    wire->settle();
    if (!wire->ok()) {
        static_cast<void>(wire.release()); // the MPI may still use it
        return false;
    }
    if (done.done)
        store(work, trace.ranks.front(), done, wire->is_late());
    else if (header.rank == 0)
        sayf("the trace is whole, but its clock is not corrected (VT_POSTPROC_MAX is over, or it is too large for that "
             "here); `tactus finish %s` does it",
             shell_word(work.directory).c_str());
    return true;
}

} // namespace

bool postprocess(const Postprocessing& work, bool able, std::uint64_t records, std::int64_t come_by_ns) {
    const Header& header = work.header;
    const std::int64_t soon = monotonic_ns() + work.options.nanoseconds(Option::postproc_max);
    const std::int64_t deadline = soon + work.options.nanoseconds(Option::finalize_timeout);
    able = able && work.options.on(Option::postproc);
    const bool paged = may_page(work.directory.c_str(), records, header.ranks);
    if (able && !has_memory(records, paged)) {
        able = false;
        sayf("rank %u: %llu records are too many to correct the clock here; `tactus finish %s` does it", header.rank,
             static_cast<unsigned long long>(records), shell_word(work.directory).c_str());
    }
    const Answer answer = ask_all(work.comm, able, come_by_ns);
    if (answer != Answer::yes) return answer == Answer::no;
    auto file = RankFile::open(work.directory + "/" + rank_file_name(header.rank));
    const Answer opened = ask_all(work.comm, static_cast<bool>(file), deadline);
    if (opened != Answer::yes) return opened == Answer::no;
    const auto wanted = agreed_options(work, paged, deadline);
    return wanted && play(work, std::move(*file), *wanted, {soon, deadline});
}

} // namespace tactus
