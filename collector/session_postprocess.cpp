// The trace is born finished: in MPI_Finalize, with all ranks together, each plays its own file. Nothing here may harm
// the run: whatever does not come in time, or has no memory, leaves the trace as it is, for `tactus finish`.
#include "base/log.hpp"
#include "collector/replay_wire.hpp"
#include "collector/session.hpp"
#include "postproc/finish/finish_options.hpp"
#include "postproc/finish/store.hpp"
#include "postproc/replay/event.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/vfs.h>
#include <type_traits>

namespace tactus {
namespace {

constexpr std::uint64_t event_bytes = sizeof(Event) * 3 / 2; // of a record, about; and as much for their calls
constexpr std::uint64_t records_in_memory = 1'000'000;       // when events may lie beside the trace
constexpr std::uint64_t most_records = 4'000'000;            // when they may not
constexpr std::uint64_t most_paged_records = 30'000'000;

// Whether events may lie beside the trace: only where a file that was allocated can be written through memory whatever
// happens, which file systems of networks do not promise, and where nobody will miss the room.
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

// The application needs memory, too. Whether what a large trace takes may be had is tried, and given back at once. What
// is too large is finished later, by a process of its own.
bool has_memory(std::uint64_t records, bool paged) {
    constexpr std::uint64_t a_record = 112 + event_bytes;
    constexpr std::uint64_t all = 32ULL << 20;
    if (records > (paged ? most_paged_records : most_records)) return false;
    void* const trial = std::malloc(records * a_record + all);
    std::free(trial);
    return trial != nullptr;
}

enum class Answer { yes, no, none };

// Whether all say yes.
Answer ask_all(MPI_Comm comm, bool mine, std::int64_t deadline_ns) {
    // On the heap: should the others not come, the MPI may still write there.
    auto* const words = static_cast<std::int32_t*>(std::calloc(2, sizeof(std::int32_t)));
    if (words == nullptr) return Answer::none;
    words[0] = mine ? 1 : 0;
    MPI_Request request = handle.REQUEST_NULL;
    if (pmpi.Iallreduce(words, words + 1, 1, handle.INT32_T, handle.MIN, comm, &request) != MPI_SUCCESS ||
        !complete_by(request, deadline_ns))
        return Answer::none;
    const bool all = words[1] == 1;
    std::free(words);
    return all ? Answer::yes : Answer::no;
}

// What rank 0 says holds for all.
bool take_from_first(MPI_Comm comm, void* value, std::size_t size, std::int64_t deadline_ns) {
    void* const bytes = std::malloc(size); // stays when we give up waiting
    if (bytes == nullptr) return false;
    std::memcpy(bytes, value, size);
    MPI_Request request = handle.REQUEST_NULL;
    if (pmpi.Ibcast(bytes, static_cast<int>(size), handle.BYTE, 0, comm, &request) != MPI_SUCCESS ||
        !complete_by(request, deadline_ns))
        return false;
    std::memcpy(value, bytes, size);
    std::free(bytes);
    return true;
}

} // namespace

bool Session::finish_trace(bool able, std::uint64_t records, std::int64_t come_by_ns) {
    const std::int64_t begin = monotonic_ns();
    const std::int64_t soon = begin + options.nanoseconds(Option::postproc_max);
    const std::int64_t deadline = soon + options.nanoseconds(Option::finalize_timeout);
    able = able && options.on(Option::postproc);
    const bool paged = may_page(directory.c_str(), records, header.ranks);
    if (able && !has_memory(records, paged)) {
        able = false;
        sayf("rank %u: %llu records are too many to correct the clock here; `tactus finish %s` does it", header.rank,
             static_cast<unsigned long long>(records), directory.c_str());
    }
    const Answer answer = ask_all(comm, able, come_by_ns);
    if (answer != Answer::yes) return answer == Answer::no;
    auto file = RankFile::open(directory + "/" + rank_file_name(header.rank));
    const Answer opened = ask_all(comm, static_cast<bool>(file), deadline);
    if (opened != Answer::yes) return opened == Answer::no;
    Trace trace;
    trace.path = directory;
    trace.ranks.push_back(std::move(*file));
    FinishOptions wanted = finish_options(options);
    static_assert(std::is_trivially_copyable_v<FinishOptions>);
    if (!take_from_first(comm, &wanted, sizeof wanted, deadline)) return false;
    wanted.origin_realtime_ns = clocks.origin_realtime_ns();
    if (paged) wanted.paging = {directory.c_str(), records_in_memory * event_bytes};
    wanted.most_events = (paged ? most_paged_records : most_records) * 3 / 2;
    wanted.most_messages = 10'000'000; // notes of all of them may lie here at once, of senders that wait for nobody
    wanted.most_comings = 4'000'000;
    auto wire = std::make_unique<MpiReplayWire>(comm, header.rank, Seats{header.ranks, header.ranks}, soon, deadline);
    const Finished done = ::tactus::finish(trace, *wire, wanted, [](const char*) {});
    wire->settle();
    if (!wire->ok()) {
        static_cast<void>(wire.release()); // the MPI may still use it
        return false;
    }
    if (!done.done) {
        if (header.rank == 0)
            sayf("the trace is whole, but its clock is not corrected (VT_POSTPROC_MAX is over, or it is too large for "
                 "that "
                 "here); `tactus finish %s` does it",
                 directory.c_str());
        return true;
    }
    const auto news = news_for(trace.ranks.front(), done, 0, header.rank == 0);
    RankIndex index;
    if (!wire->is_late()) index = index_for(trace.ranks.front(), done, 0);
    const Definitions more = news.value_or(Definitions{});
    bool good = (!news && index.blocks.empty()) || writer.append_to_closed(index.blocks, more);
    if (!good && !index.blocks.empty()) good = writer.append_to_closed({}, more); // the time line can be made again
    if (!good)
        sayf("rank %u: the corrected clock could not be written to %s: %s; `tactus finish` tries it again", header.rank,
             directory.c_str(), strerror(writer.last_errno()));
    return true;
}

} // namespace tactus
