#include "postproc/export/otf2_definitions.hpp"

#include "postproc/export/otf2_names.hpp"
#include "trace/defined.hpp"
#include "trace/shapes.hpp"

#include <algorithm>

namespace tactus {
namespace {

// Returns false if a process outside MPI_COMM_WORLD is among the members.
bool list_members(const std::vector<RankRun>& runs, std::uint32_t ranks, std::vector<std::uint64_t>& members) {
    for (const RankRun& run : runs)
        for (std::int64_t i = 0; i < run.count; ++i) {
            const std::int64_t rank = run.first + i * run.stride;
            if (rank < 0 || rank >= ranks || members.size() >= ranks) return false;
            members.push_back(static_cast<std::uint64_t>(rank));
        }
    return true;
}

std::string lane_name(const RankFile& file, std::uint32_t lane) {
    const ThreadName* named = defined(file.definitions().threads, lane);
    if (named != nullptr && !named->name.empty()) return named->name;
    return lane == 0 ? "Master thread" : "Thread " + std::to_string(lane);
}

} // namespace

Otf2Definitions::Otf2Definitions(const Trace& trace)
    : trace_{trace}, of_function_(function_count, OTF2_UNDEFINED_REGION) {
    constexpr std::uint32_t any_machine = 1 << 22; // a damaged header may claim more
    ranks_ = trace.ranks.back().header().rank + 1;
    if (trace.ranks.front().header().ranks <= any_machine)
        ranks_ = std::max(ranks_, trace.ranks.front().header().ranks);
    string({});
    for (const RankFile& file : trace.ranks)
        if (hosts_.try_emplace(file.header().host, static_cast<std::uint32_t>(hosts_.size())).second)
            host_names_.push_back(file.header().host);
    find_comms();
}

void Otf2Definitions::find_comms() {
    comms_.resize(2);
    for (const RankFile& file : trace_.ranks) {
        std::map<std::uint32_t, OTF2_CommRef>& numbers = of_rank_[file.header().rank];
        for (const Comm& comm : file.definitions().comms) add_comm(comm, numbers);
    }
}

void Otf2Definitions::add_comm(const Comm& comm, std::map<std::uint32_t, OTF2_CommRef>& numbers) {
    if (comm.number == number_of_world || comm.number == number_of_self) {
        numbers[comm.number] = comm.number - number_of_world;
        if (comm.number == number_of_world) comms_[0].name = comm.name;
        return;
    }
    const auto known = of_identity_.find(comm.identity);
    if (known != of_identity_.end()) {
        numbers[comm.number] = known->second;
        return;
    }
    KnownComm made{.name = comm.name, .members = {}, .remote = {}};
    const bool inside =
        list_members(comm.members, ranks_, made.members) && list_members(comm.remote, ranks_, made.remote);
    const auto parent = numbers.find(comm.parent);
    if (parent != numbers.end()) made.parent = parent->second;
    if (!made.remote.empty() && made.remote.front() < made.members.front()) made.members.swap(made.remote);
    const OTF2_CommRef ref = inside ? static_cast<OTF2_CommRef>(comms_.size()) : otf2_no_comm;
    if (inside) comms_.push_back(std::move(made));
    of_identity_.emplace(comm.identity, ref);
    numbers[comm.number] = ref;
    if (!inside) not_said_.add("communicators with processes outside the run");
}

void Otf2Definitions::begin_rank(const RankFile& file) {
    rank_ = &file;
    comms_here_ = &of_rank_[file.header().rank];
    of_symbol_number_.clear();
    of_counter_.clear();
}

OTF2_CommRef Otf2Definitions::comm(std::uint32_t number) const {
    const auto found = comms_here_->find(number);
    return found != comms_here_->end() ? found->second : otf2_no_comm;
}

OTF2_RegionRef Otf2Definitions::region(Function function) {
    const auto number = static_cast<std::size_t>(function);
    if (number >= of_function_.size()) of_function_.resize(number + 1, OTF2_UNDEFINED_REGION);
    OTF2_RegionRef& ref = of_function_[number];
    if (ref != OTF2_UNDEFINED_REGION) return ref;
    ref = static_cast<OTF2_RegionRef>(regions_.size());
    regions_.push_back(
        {.name = name_of(function), .role = otf2_role_of(function), .paradigm = OTF2_PARADIGM_MPI, .file = {}});
    return ref;
}

// If a region begins at several places, it gets the first that is met.
OTF2_RegionRef Otf2Definitions::region(const Record& region) {
    const std::uint32_t number = region.what.type;
    const auto known = of_symbol_number_.find(number);
    if (known != of_symbol_number_.end()) return known->second;
    const Symbol* symbol = defined(rank_->definitions().symbols, number);
    const std::string name = symbol != nullptr ? symbol->name : "#" + std::to_string(number);
    const auto [found, is_new] = of_symbol_.try_emplace(name, static_cast<OTF2_RegionRef>(regions_.size()));
    of_symbol_number_[number] = found->second;
    if (!is_new) return found->second;
    const bool nccl = region.what.kind == Kind::nccl;
    Region made{.name = name,
                .role = OTF2_REGION_ROLE_FUNCTION,
                .paradigm = static_cast<OTF2_Paradigm>(nccl ? OTF2_PARADIGM_CUDA : OTF2_PARADIGM_USER),
                .file = {}};
    if (nccl) {
        regions_.push_back(std::move(made));
        return found->second;
    }
    if (const Scl* begin = defined(rank_->definitions().scls, static_cast<std::uint32_t>(region.what.tag)))
        made.file = begin->file, made.begin_line = begin->line;
    if (const Scl* end = defined(rank_->definitions().scls, region.what.bytes);
        end != nullptr && end->file == made.file)
        made.end_line = end->line;
    regions_.push_back(std::move(made));
    return found->second;
}

const Otf2Definitions::Metric* Otf2Definitions::metric(std::uint32_t number) {
    const auto known = of_counter_.find(number);
    if (known != of_counter_.end()) return known->second;
    const Counter* counter = defined(rank_->definitions().counters, number);
    if (counter == nullptr) return nullptr;
    return of_counter_[number] = &metric_of(*counter);
}

const Otf2Definitions::Metric& Otf2Definitions::metric_of(const Counter& counter) {
    const OTF2_Type type = counter.type == CounterType::floating ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64;
    const auto [found, is_new] = metrics_.try_emplace(counter.name + (type == OTF2_TYPE_DOUBLE ? "\1" : "\2"),
                                                      Metric{static_cast<OTF2_MetricRef>(counters_.size()), type});
    if (is_new) counters_.push_back(counter);
    return found->second;
}

// A value holds for the time since the one before.
Otf2Definitions::Metric Otf2Definitions::metric(ThreadCounter counter) {
    const ThreadCounterText& text = thread_counters[static_cast<std::size_t>(counter)];
    Counter made{.name = text.name, .unit = text.unit};
    made.type = CounterType::floating;
    made.valid = CounterValid::before;
    return metric_of(made);
}

void Otf2Definitions::add_location(std::uint32_t rank, std::uint32_t lane, std::uint64_t events) {
    const bool here = rank_ != nullptr && rank_->header().rank == rank;
    locations_.push_back({rank, lane, events, here ? lane_name(*rank_, lane) : "Master thread"});
}

} // namespace tactus
