#include "postproc/recover/recover_rank.hpp"

#include "trace/definer.hpp"
#include "writer/rescue.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <unistd.h>

namespace tactus {
namespace {

// Compares calls as well as records, because equal calls in a row are counted in a record that exists already.
bool has_all_of(const IndexEntry& known, const std::vector<Record>& slots) {
    std::uint64_t records = 0;
    std::uint64_t calls = 0;
    for_each_record(slots, [&](const Record& record, std::span<const std::int64_t>) {
        ++records;
        calls += calls_of(record);
    });
    return known.records >= records && known.calls >= calls;
}

const IndexEntry* find_block(const RankFile& file, std::uint32_t lane, std::uint64_t sequence) {
    const auto& blocks = file.blocks();
    const auto found = std::find_if(blocks.begin(), blocks.end(), [&](const IndexEntry& block) {
        return block.lane == lane && block.sequence == sequence;
    });
    return found != blocks.end() ? &*found : nullptr;
}

// Removes from the lane what the file has, since the process may have died after it wrote a block and before the lane
// said so.
void leave_out_known(const RankFile& file, LaneContents& lane) {
    std::erase_if(lane.unwritten, [&](const LaneContents::Block& block) {
        const IndexEntry* const known = find_block(file, lane.lane, block.sequence);
        return known != nullptr && has_all_of(*known, block.slots);
    });
    // A file has its open calls already if its process closed it, or if an interrupted recovery appended them.
    const auto& totals = file.definitions().totals;
    const bool by_itself = file.closed() && !totals.empty() && totals.front().ending != Ending::recovered;
    if (by_itself || find_block(file, lane.lane, lane.next_sequence) != nullptr) lane.open.clear();
}

Ticks last_tick(const RankFile& file, const RankLanes& found) {
    Ticks last = file.definitions().anchors.back().tick;
    for (const IndexEntry& block : file.blocks()) last = std::max(last, block.last);
    for (const FoundLane& lane : found.lanes) last = std::max({last, lane.contents.last_leave, lane.contents.alive});
    for (const FoundLane& lane : found.lanes)
        for (const Record& call : lane.contents.open) last = std::max(last, call.enter);
    return last;
}

// How many sequence numbers below the largest of their lane are neither in the file nor in the lanes.
std::uint64_t missing_blocks(const RankFile& file, const RankLanes& found) {
    std::map<std::uint32_t, std::set<std::uint64_t>> known;
    for (const IndexEntry& block : file.blocks()) known[block.lane].insert(block.sequence);
    for (const FoundLane& lane : found.lanes)
        for (const auto& block : lane.contents.unwritten) known[lane.contents.lane].insert(block.sequence);
    std::uint64_t missing = 0;
    for (const auto& [lane, sequences] : known) missing += *sequences.rbegin() + 1 - sequences.size();
    return missing;
}

class RankRepair {
  public:
    RankRepair(const RankFile& file, RankLanes found, Backup& backup)
        : file_{file}, found_{std::move(found)}, backup_{backup} {
        done_.rank = file.header().rank;
        done_.lanes = found_.lanes.size();
        done_.problems = found_.unreadable;
        done_.problems.insert(done_.problems.end(), found_.foreign.begin(), found_.foreign.end());
    }

    RankRecovery run() {
        for (FoundLane& lane : found_.lanes) leave_out_known(file_, lane.contents);
        const bool to_add = std::any_of(found_.lanes.begin(), found_.lanes.end(), [](const FoundLane& lane) {
            return !lane.contents.unwritten.empty() || !lane.contents.open.empty();
        });
        done_.is_whole = file_.closed() && !to_add;
        done_.was_whole = done_.is_whole && found_.lanes.empty();
        if (!done_.is_whole) {
            const auto closed = append_and_close();
            done_.is_whole = static_cast<bool>(closed);
            if (!closed) done_.problems.push_back(closed.error());
        }
        if (done_.is_whole) move_lanes();
        return std::move(done_);
    }

  private:
    Outcome append_and_close() {
        count_missing();
        if (auto copied = backup_.keep_end(file_, file_.sound_end()); !copied) return copied;
        LossCounters losses;
        take_old_losses(losses);
        RankWriter writer{losses, file_.header().job};
        if (auto opened = writer.reopen(file_.path(), file_.header().job, file_.sound_end(), file_.all_blocks());
            !opened)
            return opened;
        const Definitions closing = add_lanes(writer);
        if (!complete_)
            return Error{.what = "not all of its lanes could be added; they are kept",
                         .file = file_.path(),
                         .advice = "make room on disk or in memory and repeat"};
        losses.add(Loss::not_recovered, done_.missing);
        if (!writer.close(closing))
            return Error{.what = "cannot be written to its end: " + std::string{strerror(writer.last_errno())} +
                                 "; nothing is lost",
                         .file = file_.path(),
                         .advice = "make room and repeat"};
        return on_disk();
    }

    void count_missing() {
        done_.missing = missing_blocks(file_, found_) + found_.unreadable.size();
        for (const Error& damage : file_.damage())
            if (damage.offset.value_or(0) < file_.sound_end()) ++done_.missing;
        for (const FoundLane& lane : found_.lanes)
            if (lane.contents.unsound > 0) {
                ++done_.missing;
                done_.problems.push_back(
                    {.what = std::to_string(lane.contents.unsound) + " damaged slots left out", .file = lane.path});
            }
        std::uint64_t unprotected = 0;
        for (const FoundLane& lane : found_.lanes) unprotected = std::max(unprotected, lane.contents.unprotected);
        if (!file_.closed() && unprotected > 0) {
            done_.missing += unprotected;
            done_.problems.push_back({.what = "the end of " + std::to_string(unprotected) +
                                              " threads is missing: there was no room for their lanes outside the "
                                              "process",
                                      .file = file_.path()});
        }
        if (!file_.closed() && found_.lanes.empty()) {
            ++done_.missing;
            done_.problems.push_back(
                {.what = "no lane of this rank was found, so its last records and open calls are missing",
                 .file = file_.path()});
        }
        if (!file_.closed()) done_.cut_bytes = file_.size() - file_.sound_end();
    }

    // Takes over the losses that the process counted. Those that an earlier recovery counted are counted anew.
    void take_old_losses(LossCounters& losses) const {
        const auto& totals = file_.definitions().totals;
        if (file_.closed() && !totals.empty() && totals.front().ending != Ending::recovered) {
            const auto& lost = totals.front().lost;
            for (std::size_t i = 0; i < lost.size() && i < loss_count; ++i) losses.add(static_cast<Loss>(i), lost[i]);
            return;
        }
        for (const FoundLane& lane : found_.lanes) losses.add(Loss::block_not_written, lane.contents.lost);
    }

    // Appends the lanes, and returns the definitions with which to close the file.
    Definitions add_lanes(RankWriter& writer) {
        Definitions closing = file_.definitions();
        closing.totals.resize(1);
        closing.anchors.clear(); // these three are in the file already
        closing.modules.clear();
        closing.datatypes.clear();
        std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>> sums;
        for (const IndexEntry& block : file_.blocks())
            sums[{block.lane, block.sequence}] = {block.calls, block.records};
        std::set<std::uint32_t> lanes;
        for (const IndexEntry& block : file_.blocks()) lanes.insert(block.lane);
        const Ticks end = last_tick(file_, found_);
        Rescue rescue{writer};
        Definer definer{closing};
        Totals& totals = closing.totals.front();
        for (const FoundLane& lane : found_.lanes) {
            add_lane(lane.contents, rescue, end, definer);
            lanes.insert(lane.contents.lane);
            for (const auto& block : lane.contents.unwritten) sums[{lane.contents.lane, block.sequence}] = {0, 0};
        }
        totals.ending = file_.closed() ? totals.ending : Ending::recovered;
        totals.lanes = lanes.size();
        totals.calls = done_.calls;
        totals.records = done_.records;
        for (const auto& [place, sum] : sums) {
            totals.calls += sum.first;
            totals.records += sum.second;
        }
        std::set<std::uint32_t> comms;
        for (const Comm& comm : closing.comms) comms.insert(comm.number);
        totals.comms = comms.size();
        return closing;
    }

    void add_lane(const LaneContents& lane, Rescue& rescue, Ticks end, Definer& definer) {
        const Rescued saved = rescue.save(lane, end);
        complete_ = complete_ && saved.complete;
        done_.calls += saved.calls;
        done_.records += saved.records;
        done_.open.insert(done_.open.end(), lane.open.begin(), lane.open.end());
        for (const LaneContents::Block& block : lane.unwritten)
            for_each_record(block.slots, [&](const Record& record, std::span<const std::int64_t> words) {
                definer.take(record, words);
            });
    }

    Outcome on_disk() const {
        const int file = open(file_.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        const bool good = file >= 0 && fsync(file) == 0;
        const Error refused{.what = "cannot be brought to disk: " + std::string{strerror(errno)}, .file = file_.path()};
        if (file >= 0) close(file);
        return good ? Outcome{Done{}} : Outcome{refused};
    }

    void move_lanes() {
        for (const FoundLane& lane : found_.lanes)
            if (auto moved = backup_.move_here(lane.path); !moved) done_.problems.push_back(moved.error());
        for (const std::string& draft : found_.drafts) unlink(draft.c_str());
        const std::string own = "/" + lane_folder_name(file_.header().job);
        for (const std::string& folder : found_.searched) // rmdir() fails until the last lane is gone
            if (folder.ends_with(own) || folder == found_.searched.front()) rmdir(folder.c_str());
    }

    const RankFile& file_;
    RankLanes found_;
    Backup& backup_;
    bool complete_ = true; // so far, everything from the lanes is in the file
    RankRecovery done_;
};

RankRecovery refused(const RankFile& file, Error error) {
    error.file = file.path();
    return {.rank = file.header().rank, .open = {}, .problems = {std::move(error)}};
}

bool still_runs(const RankFile& file, const RankLanes& found) {
    const Header& header = file.header();
    if (is_locked(file.path())) return true;
    if (liveness_of(header) != Liveness::alive) return false;
    return uses(header.pid, file.path()) || std::any_of(found.lanes.begin(), found.lanes.end(),
                                                        [&](const auto& lane) { return uses(header.pid, lane.path); });
}

} // namespace

RankRecovery recover_rank(const RankFile& file, LaneSearch& search, Backup& backup, const RecoverSettings& settings) {
    const Header& header = file.header();
    RankLanes found = search.of(header);
    if (file.closed() && found.lanes.empty() && found.drafts.empty())
        return {.rank = header.rank, .was_whole = true, .is_whole = true, .open = {}, .problems = {}};
    if (still_runs(file, found))
        return refused(file, {.what = "its process " + std::to_string(header.pid) + " still runs",
                              .advice = "end the job first; `tactus where` shows what it does"});
    if (liveness_of(header) == Liveness::elsewhere && !settings.other_hosts)
        return refused(file, {.what = "it ran on host " + header.host + ", and may still run there",
                              .advice = "run `tactus recover` there; or, when that host is gone, give --other-hosts"});
    return RankRepair{file, std::move(found), backup}.run();
}

} // namespace tactus
