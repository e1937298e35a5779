#include "postproc/export/otf2_run.hpp"

#include "postproc/export/otf2_names.hpp"

#include <algorithm>
#include <numeric>

namespace tactus {
namespace {

// Identities of communicators: that of MPI_COMM_WORLD, the first of each rank's MPI_COMM_SELF, and the first of all
// others, to which their number in OTF2 is added.
constexpr std::uint64_t world_identity = 1;
constexpr std::uint64_t self_identity = std::uint64_t{1} << 40;
constexpr std::uint64_t comm_identity = std::uint64_t{1} << 41;

std::vector<RankRun> all_of(std::size_t ranks) { return {{0, static_cast<std::int64_t>(ranks), 1}}; }

} // namespace

Result<Otf2Run> Otf2Run::make(const Otf2Archive& archive, NotSaid& not_said) {
    Otf2Run run{archive.content()};
    if (const Outcome found = run.find_ranks(archive.path(), not_said); !found) return found.error();
    run.find_lanes(not_said);
    run.find_comms(not_said);
    run.find_regions();
    run.find_counters();
    return run;
}

// Ranks are numbered as MPI numbers them. In an archive without MPI, every process is a rank.
Outcome Otf2Run::find_ranks(const std::string& file, NotSaid& not_said) {
    std::vector<std::uint64_t> groups;
    for (const std::uint64_t location : content_->rank_locations) {
        const auto found = content_->locations.find(location);
        if (found == content_->locations.end())
            return Error{.what = "rank " + std::to_string(groups.size()) + " of MPI is location " +
                                 std::to_string(location) + ", which is not defined",
                         .file = file};
        groups.push_back(found->second.group);
    }
    if (groups.empty())
        for (const auto& [ref, group] : content_->location_groups)
            if (group.process) groups.push_back(ref);
    if (groups.empty()) return Error{.what = "has no process", .file = file};
    for (const std::uint64_t ref : groups) {
        const auto rank = static_cast<std::uint32_t>(ranks_.size());
        if (!rank_of_group_.try_emplace(ref, rank).second)
            not_said.add("ranks of MPI that share a process with another one");
        const auto group = content_->location_groups.find(ref);
        ranks_.push_back(
            {rank, group != content_->location_groups.end() ? host_of(group->second.node) : "unknown", {}});
    }
    return Done{};
}

std::string Otf2Run::host_of(std::uint64_t node) const {
    std::string nearest;
    for (std::size_t steps = 0; steps < 64; ++steps) {
        const auto found = content_->nodes.find(node);
        if (found == content_->nodes.end()) break;
        if (found->second.class_name == "node") return found->second.name;
        if (nearest.empty()) nearest = found->second.name;
        node = found->second.parent;
    }
    return nearest.empty() ? "unknown" : nearest;
}

// The location that MPI names for a rank is the rank's first thread.
void Otf2Run::find_lanes(NotSaid& not_said) {
    for (const auto& [ref, location] : content_->locations) {
        const auto rank = rank_of_group_.find(location.group);
        if (rank == rank_of_group_.end()) {
            not_said.add("locations that belong to no rank");
            continue;
        }
        ranks_[rank->second].lanes.push_back({0, ref, location.name});
    }
    for (ImportedRank& imported_rank : ranks_) {
        const std::uint64_t main = imported_rank.rank < content_->rank_locations.size()
                                       ? content_->rank_locations[imported_rank.rank]
                                       : ~std::uint64_t{0};
        std::stable_partition(imported_rank.lanes.begin(), imported_rank.lanes.end(),
                              [&](const ImportedLane& lane) { return lane.location == main; });
        for (std::size_t i = 0; i < imported_rank.lanes.size(); ++i)
            imported_rank.lanes[i].lane = static_cast<std::uint32_t>(i);
    }
}

bool Otf2Run::world_ranks(std::uint64_t group, std::vector<std::int32_t>& ranks) const {
    const auto found = content_->groups.find(group);
    if (found == content_->groups.end()) return false;
    for (const std::uint64_t member : found->second.members) {
        if (member >= ranks_.size()) return false;
        ranks.push_back(static_cast<std::int32_t>(member));
    }
    return !ranks.empty();
}

void Otf2Run::find_comms(NotSaid& not_said) {
    std::vector<std::int32_t> everybody(ranks_.size());
    std::iota(everybody.begin(), everybody.end(), 0);
    for (const auto& [ref, comm] : content_->comms) {
        const auto group = content_->groups.find(comm.group);
        const bool is_self = group != content_->groups.end() && group->second.type == OTF2_GROUP_TYPE_COMM_SELF;
        ImportedComm imported_comm{.name = comm.name, .members = {}, .remote = {}, .parent = comm.parent};
        if (is_self) {
            self_refs_.push_back(ref);
            continue;
        }
        const bool inter = comm.remote != OTF2_UNDEFINED_GROUP;
        if (!world_ranks(comm.group, imported_comm.members) ||
            (inter && !world_ranks(comm.remote, imported_comm.remote))) {
            not_said.add("communicators whose members are not known");
            continue;
        }
        if (!inter && world_refs_.empty() && imported_comm.members == everybody) {
            world_refs_.push_back(ref);
            continue;
        }
        for (const std::vector<std::int32_t>* side : {&imported_comm.members, &imported_comm.remote})
            for (const std::int32_t rank : *side) comms_of_rank_[static_cast<std::uint32_t>(rank)].push_back(ref);
        comms_.emplace(ref, std::move(imported_comm));
    }
}

const Comm* Otf2Run::Comms::find(std::uint64_t ref) const {
    const auto number = numbers.find(ref);
    return number != numbers.end() ? &all[number->second - 1] : nullptr;
}

Otf2Run::Comms Otf2Run::comms_of(std::uint32_t rank) const {
    Comms comms;
    comms.all.push_back({.number = number_of_world,
                         .identity = world_identity,
                         .my_rank = rank,
                         .members = all_of(ranks_.size()),
                         .remote = {},
                         .name = "MPI_COMM_WORLD"});
    comms.all.push_back({.number = number_of_self,
                         .identity = self_identity + rank,
                         .members = {{rank, 1, 1}},
                         .remote = {},
                         .name = "MPI_COMM_SELF"});
    for (const std::uint64_t ref : world_refs_) comms.numbers[ref] = number_of_world;
    for (const std::uint64_t ref : self_refs_) comms.numbers[ref] = number_of_self;
    const auto list = comms_of_rank_.find(rank);
    if (list == comms_of_rank_.end()) return comms;
    for (const std::uint64_t ref : list->second) {
        if (comms.numbers.contains(ref)) continue; // the rank is in both groups
        const ImportedComm& comm = comms_.at(ref);
        const auto me = static_cast<std::int32_t>(rank);
        auto member = std::find(comm.members.begin(), comm.members.end(), me);
        const bool in_first = member != comm.members.end();
        if (!in_first) member = std::find(comm.remote.begin(), comm.remote.end(), me);
        const auto first = in_first ? comm.members.begin() : comm.remote.begin();
        const auto number = static_cast<std::uint32_t>(comms.all.size() + 1);
        const auto parent = comms.numbers.find(comm.parent);
        comms.all.push_back(
            {.number = number,
             .identity = comm_identity + ref,
             .made_by = Function::Comm_create,
             .parent = parent != comms.numbers.end() ? parent->second : 0,
             .my_rank = static_cast<std::uint32_t>(member - first),
             .members = runs_of(in_first ? comm.members : comm.remote),
             .remote = comm.remote.empty() ? std::vector<RankRun>{} : runs_of(in_first ? comm.remote : comm.members),
             .name = comm.name});
        comms.numbers[ref] = number;
    }
    return comms;
}

std::uint32_t Otf2Run::scl_of(const std::string& file, std::uint32_t line) {
    if (file.empty() || line == 0) return 0;
    const auto [known, is_new] = scl_numbers_.try_emplace({file, line}, static_cast<std::uint32_t>(scls_.size() + 1));
    if (is_new) scls_.push_back({.number = known->second, .file = file, .line = line});
    return known->second;
}

void Otf2Run::find_regions() {
    std::map<std::string, std::uint32_t> numbers;
    for (const auto& [ref, region] : content_->regions) {
        Region& imported = regions_[ref];
        imported.function = function_of_name(region.name);
        if (imported.function) continue;
        const std::string name = region.name.empty() ? "region " + std::to_string(ref) : region.name;
        const auto [known, is_new] = numbers.try_emplace(name, static_cast<std::uint32_t>(symbols_.size() + 1));
        if (is_new) symbols_.push_back({.number = known->second, .name = name});
        imported.symbol = known->second;
        imported.begin_scl = scl_of(region.file, region.begin_line);
        imported.end_scl = scl_of(region.file, region.end_line);
    }
}

const Otf2Run::Region* Otf2Run::region(std::uint64_t ref) const {
    const auto found = regions_.find(ref);
    return found != regions_.end() ? &found->second : nullptr;
}

void Otf2Run::find_counters() {
    for (const auto& [ref, metric] : content_->metrics) {
        Counter counter{
            .number = static_cast<std::uint32_t>(counters_.size() + 1), .name = metric.name, .unit = metric.unit};
        if (metric.type == OTF2_TYPE_DOUBLE) counter.type = CounterType::floating;
        if (metric.mode == OTF2_METRIC_ABSOLUTE_LAST) counter.valid = CounterValid::before;
        if (metric.mode == OTF2_METRIC_ABSOLUTE_NEXT) counter.valid = CounterValid::after;
        counter_of_metric_[ref] = counter.number;
        counters_.push_back(std::move(counter));
    }
}

std::vector<std::uint32_t> Otf2Run::counters_of(std::uint64_t metric) const {
    std::vector<std::uint32_t> numbers;
    const auto members = content_->metric_classes.find(metric);
    if (members == content_->metric_classes.end()) return numbers;
    for (const std::uint64_t member : members->second) {
        const auto counter = counter_of_metric_.find(member);
        numbers.push_back(counter != counter_of_metric_.end() ? counter->second : 0);
    }
    return numbers;
}

} // namespace tactus
