#include "postproc/nccl/rank_operations.hpp"

#include "trace/defined.hpp"
#include "trace/lane_walk.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace tactus {
namespace {

class Reading {
  public:
    explicit Reading(bool alone) : alone_{alone} {}

    void add(const RankFile& file) {
        if (file.definitions().nccl_comms.empty() && !has_nccl_symbols(file)) return;
        file_ = files_[file.header().rank] = &file;
        functions_here_.clear();
        number_comms();
        for (const LaneBlocks lane : lanes_of(file)) {
            LaneWalk walk{file, lane};
            while (walk.next())
                if (walk.record().what.kind == Kind::nccl) take(walk);
            for (const Error& error : walk.unreadable()) keep_error(out_.unreadable, error);
        }
        join_kernels();
    }

    NcclParts finish() {
        if (!wanted_.empty()) join();
        return std::move(out_);
    }

    static bool has_nccl_symbols(const RankFile& file) {
        const std::vector<Symbol>& symbols = file.definitions().symbols; // by number
        return !symbols.empty() && symbols.back().number >= first_nccl_symbol;
    }

  private:
    using Owner = std::tuple<std::string, std::int64_t, std::int64_t>; // host, process, handle
    static constexpr std::uint32_t unknown = ~std::uint32_t{0};

    void join() {
        std::set<Owner> owned;
        for (const NcclPart& part : out_.parts) {
            const Header& header = files_.at(part.rank)->header();
            owned.emplace(header.host, static_cast<std::int64_t>(header.pid), part.handle);
        }
        for (const Owner& owner : wanted_) ++(owned.contains(owner) ? out_.foreign.joined : out_.foreign.unjoined);
    }

    // Joins the kernels and parts of this rank that name the same launch.
    void join_kernels() {
        const std::size_t first = out_.parts.size() - launches_.size();
        for (std::size_t i = 0; i < launches_.size(); ++i) {
            const auto found = kernels_.find(launches_[i]);
            if (found == kernels_.end()) continue;
            NcclPart& part = out_.parts[first + i];
            part.kernel = found->second;
            if (!part.is_timed()) continue;
            NcclKernel& kernel = out_.kernels[found->second];
            kernel.joined = true;
            kernel.worked_ns = std::max(kernel.worked_ns, part.length_ns()); // the part of the group is the longest
        }
        launches_.clear();
        kernels_.clear();
    }

    void number_comms() {
        comms_here_.clear();
        unknown_here_ = unknown;
        std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> turns; // by id and member
        for (const NcclComm& comm : file_->definitions().nccl_comms) {
            const std::uint32_t turn = comm.id == 0 ? 0 : turns[{comm.id, comm.rank}]++;
            comms_here_[comm.number] = {number_of({comm.id, turn, comm.ranks, comm.name}), comm.rank};
        }
    }

    // A communicator without an id is never the same as another one.
    std::uint32_t number_of(NcclCommunicator comm) {
        const auto next = static_cast<std::uint32_t>(out_.comms.size());
        if (comm.id != 0) {
            const auto [known, is_new] = comms_.try_emplace({comm.id, comm.turn}, next);
            if (!is_new) return known->second;
        }
        out_.comms.push_back(std::move(comm));
        return next;
    }

    void take(const LaneWalk& walk) {
        const Record& record = walk.record();
        const NcclTag tag = NcclTag::of(record.what.tag);
        if (!tag.is_sound()) return;
        const NcclWork work = NcclWork::from(walk.words());
        if (tag.kind == NcclKind::proxy_op && tag.has(NcclTag::foreign))
            wanted_.emplace_back(file_->header().host, work.pid, work.parent);
        const ProcessClock& clock = file_->clock();
        if (tag.kind == NcclKind::kernel) {
            kernels_[work.parent] = static_cast<std::uint32_t>(out_.kernels.size());
            const GlobalTime end = within_reach(clock.at(record.leave));
            out_.kernels.push_back({.function = function_of(record.what.type),
                                    .end = end,
                                    .length_ns = ns_from(within_reach(clock.at(record.enter)), end)});
        }
        if (!is_operation(tag.kind)) return;
        const auto [comm, member] = comm_of(work.comm);
        NcclPart part{.rank = file_->header().rank,
                      .lane = walk.lane(),
                      .comm = comm,
                      .member = member,
                      .function = function_of(record.what.type),
                      .tag = tag,
                      .peer = record.what.peer,
                      .sequence = work.sequence,
                      .handle = work.handle,
                      .bytes = record.what.bytes,
                      .channels = static_cast<std::uint64_t>(std::max<std::int64_t>(work.channels, 0)),
                      .enter = record.enter,
                      .leave = record.leave,
                      .start = within_reach(clock.at(record.enter)),
                      .end = within_reach(clock.at(record.leave))};
        part.gpu_within_ns = static_cast<double>(std::max<std::int64_t>(work.within_ns, 0));
        part.clock_within_ns = clock_within_ns(record.enter);
        out_.parts.push_back(part);
        launches_.push_back(work.parent);
    }

    // Infinite if the clock was neither measured nor corrected by what the ranks did together.
    [[nodiscard]] double clock_within_ns(Ticks tick) const {
        const ProcessClock& clock = file_->clock();
        const bool measured =
            clock.fitted.fit != Fit::raw &&
            std::none_of(clock.fitted.notes.begin(), clock.fitted.notes.end(), [](const auto& note) {
                return note.trouble == ClockTrouble::no_round || note.trouble == ClockTrouble::no_master;
            });
        const bool known = alone_ || measured || !clock.refined.half_widths.empty();
        return known ? clock.half_width_ns(tick) : std::numeric_limits<double>::infinity();
    }

    // All communicators that the rank does not define become one of which nothing is known.
    std::pair<std::uint32_t, std::uint32_t> comm_of(std::int64_t number) {
        const auto known = comms_here_.find(number);
        if (known != comms_here_.end()) return known->second;
        if (unknown_here_ == unknown) unknown_here_ = number_of({});
        return {unknown_here_, 0};
    }

    std::uint32_t function_of(std::uint32_t symbol) {
        const auto [known, is_new] = functions_here_.try_emplace(symbol, 0);
        if (!is_new) return known->second;
        const std::string name = nccl_function(*file_, symbol);
        const auto [number, is_new_name] = functions_.try_emplace(name, static_cast<std::uint32_t>(functions_.size()));
        if (is_new_name) out_.functions.push_back(name);
        return known->second = number->second;
    }

    bool alone_; // there is only one rank, so its clock is that of the run
    const RankFile* file_ = nullptr;
    NcclParts out_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> comms_; // by id and turn
    std::map<std::string, std::uint32_t> functions_;
    // By number on this rank: index and member.
    std::map<std::int64_t, std::pair<std::uint32_t, std::uint32_t>> comms_here_;
    std::map<std::uint32_t, std::uint32_t> functions_here_; // by number of the symbol on this rank
    std::uint32_t unknown_here_ = unknown;
    std::vector<std::int64_t> launches_;            // of this rank's parts, in their order
    std::map<std::int64_t, std::uint32_t> kernels_; // of this rank, by launch
    std::vector<Owner> wanted_;
    std::map<std::uint32_t, const RankFile*> files_; // by rank
};

} // namespace

bool has_nccl(const Trace& trace) {
    return std::any_of(trace.ranks.begin(), trace.ranks.end(), [](const RankFile& file) {
        return !file.definitions().nccl_comms.empty() || Reading::has_nccl_symbols(file);
    });
}

NcclParts read_nccl(const Trace& trace) {
    Reading reading{trace.ranks.size() == 1};
    for (const RankFile& file : trace.ranks) reading.add(file);
    return reading.finish();
}

std::string nccl_function(const RankFile& file, std::uint32_t symbol) {
    constexpr std::string_view prefix = "NCCL:";
    const Symbol* const known = defined(file.definitions().symbols, symbol);
    if (known == nullptr) return "#" + std::to_string(symbol);
    return known->name.starts_with(prefix) ? known->name.substr(prefix.size()) : known->name;
}

const NcclComm* nccl_comm(const RankFile& file, std::int64_t number) {
    if (number <= 0 || number > std::int64_t{UINT32_MAX}) return nullptr;
    return defined(file.definitions().nccl_comms, static_cast<std::uint32_t>(number));
}

} // namespace tactus
