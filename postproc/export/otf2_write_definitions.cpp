#include "postproc/export/otf2_definitions.hpp"

#include <algorithm>

namespace tactus {
namespace {

OTF2_MetricMode mode_of(const Counter& counter) {
    switch (counter.valid) {
    case CounterValid::before:
        return OTF2_METRIC_ABSOLUTE_LAST;
    case CounterValid::after:
        return OTF2_METRIC_ABSOLUTE_NEXT;
    default:
        return OTF2_METRIC_ABSOLUTE_POINT;
    }
}

} // namespace

OTF2_StringRef Otf2Definitions::string(const std::string& text) {
    const auto [found, is_new] = strings_.try_emplace(text, static_cast<OTF2_StringRef>(strings_.size()));
    if (is_new) strings_in_order_.push_back(&found->first);
    return found->second;
}

// Numbers start at 2: two groups are always there.
OTF2_GroupRef Otf2Definitions::group(const std::vector<std::uint64_t>& members) {
    const auto [found, is_new] = groups_.try_emplace(members, static_cast<OTF2_GroupRef>(2 + groups_.size()));
    if (is_new) groups_in_order_.push_back(&found->first);
    return found->second;
}

void Otf2Definitions::write_system(OTF2_GlobalDefWriter* writer, Otf2Errors& errors) {
    errors.check(
        OTF2_GlobalDefWriter_WriteParadigm(writer, OTF2_PARADIGM_MPI, string("MPI"), OTF2_PARADIGM_CLASS_PROCESS));
    errors.check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, string("machine"), string("machine"),
                                                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    errors.check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    for (std::uint32_t i = 0; i < host_names_.size(); ++i) {
        errors.check(
            OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 1 + i, string(host_names_[i]), string("node"), 0));
        errors.check(
            OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, 1 + i, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    auto file = trace_.ranks.begin();
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        while (file != trace_.ranks.end() && file->header().rank < rank) ++file;
        const bool here = file != trace_.ranks.end() && file->header().rank == rank;
        const OTF2_SystemTreeNodeRef node = here ? 1 + hosts_[file->header().host] : 0;
        errors.check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, rank, string("MPI Rank " + std::to_string(rank)),
                                                             OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                                                             OTF2_UNDEFINED_LOCATION_GROUP));
    }
}

void Otf2Definitions::write_locations(OTF2_GlobalDefWriter* writer, Otf2Errors& errors) {
    for (const Location& location : locations_)
        errors.check(OTF2_GlobalDefWriter_WriteLocation(writer, otf2_location(location.rank, location.lane),
                                                        string(location.name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                                        location.events, location.rank));
}

void Otf2Definitions::write_regions(OTF2_GlobalDefWriter* writer, Otf2Errors& errors) {
    for (std::uint32_t i = 0; i < regions_.size(); ++i) {
        const Region& region = regions_[i];
        const OTF2_StringRef name = string(region.name);
        errors.check(OTF2_GlobalDefWriter_WriteRegion(
            writer, i, name, name, string({}), region.role, region.paradigm, OTF2_REGION_FLAG_NONE,
            region.file.empty() ? OTF2_UNDEFINED_STRING : string(region.file), region.begin_line, region.end_line));
    }
}

void Otf2Definitions::write_comms(OTF2_GlobalDefWriter* writer, Otf2Errors& errors) {
    const std::string& world_name = comms_[0].name;
    errors.check(OTF2_GlobalDefWriter_WriteComm(writer, 0, string(world_name.empty() ? "MPI_COMM_WORLD" : world_name),
                                                group(comms_[0].members), otf2_no_comm, OTF2_COMM_FLAG_NONE));
    errors.check(
        OTF2_GlobalDefWriter_WriteComm(writer, 1, string("MPI_COMM_SELF"), 1, otf2_no_comm, OTF2_COMM_FLAG_NONE));
    for (std::uint32_t i = 2; i < comms_.size(); ++i) {
        const KnownComm& comm = comms_[i];
        if (comm.remote.empty())
            errors.check(OTF2_GlobalDefWriter_WriteComm(writer, i, string(comm.name), group(comm.members), comm.parent,
                                                        OTF2_COMM_FLAG_NONE));
        else
            errors.check(OTF2_GlobalDefWriter_WriteInterComm(writer, i, string(comm.name), group(comm.members),
                                                             group(comm.remote), 0, OTF2_COMM_FLAG_NONE));
    }
}

// Group 0 lists the location of each rank, and group 1 is that of MPI_COMM_SELF.
void Otf2Definitions::write_groups(OTF2_GlobalDefWriter* writer, Otf2Errors& errors) {
    std::vector<std::uint64_t> of_ranks;
    for (const Location& location : locations_)
        if (of_ranks.size() == location.rank) of_ranks.push_back(otf2_location(location.rank, location.lane));
    const auto count = static_cast<std::uint32_t>(of_ranks.size());
    errors.check(OTF2_GlobalDefWriter_WriteGroup(writer, 0, string("MPI ranks"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                                 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, of_ranks.data()));
    errors.check(OTF2_GlobalDefWriter_WriteGroup(writer, 1, string("MPI_COMM_SELF"), OTF2_GROUP_TYPE_COMM_SELF,
                                                 OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, nullptr));
    for (std::uint32_t i = 0; i < groups_in_order_.size(); ++i) {
        const std::vector<std::uint64_t>& members = *groups_in_order_[i];
        errors.check(OTF2_GlobalDefWriter_WriteGroup(writer, 2 + i, string({}), OTF2_GROUP_TYPE_COMM_GROUP,
                                                     OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                                     static_cast<std::uint32_t>(members.size()), members.data()));
    }
}

void Otf2Definitions::write_metrics(OTF2_GlobalDefWriter* writer, Otf2Errors& errors) {
    for (std::uint32_t i = 0; i < counters_.size(); ++i) {
        const Counter& counter = counters_[i];
        const OTF2_Type type = counter.type == CounterType::floating ? OTF2_TYPE_DOUBLE : OTF2_TYPE_INT64;
        errors.check(OTF2_GlobalDefWriter_WriteMetricMember(writer, i, string(counter.name), string({}),
                                                            OTF2_METRIC_TYPE_USER, mode_of(counter), type,
                                                            OTF2_BASE_DECIMAL, 0, string(counter.unit)));
        errors.check(
            OTF2_GlobalDefWriter_WriteMetricClass(writer, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
    }
}

void Otf2Definitions::write_attributes(OTF2_GlobalDefWriter* writer, Otf2Errors& errors) {
    for (std::uint32_t i = 0; i < otf2_attributes.size(); ++i)
        errors.check(OTF2_GlobalDefWriter_WriteAttribute(writer, i, string(otf2_attributes[i].name),
                                                         string(otf2_attributes[i].meaning), OTF2_TYPE_UINT64));
}

// Strings and groups must be defined before the definitions that refer to them.
void Otf2Definitions::number_strings_and_groups() {
    for (const char* text : {"MPI", "machine", "node", "MPI ranks", "MPI_COMM_SELF", "MPI_COMM_WORLD"}) string(text);
    for (const std::string& host : host_names_) string(host);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) string("MPI Rank " + std::to_string(rank));
    for (const Location& location : locations_) string(location.name);
    for (const Region& region : regions_) string(region.name), string(region.file);
    for (const Counter& counter : counters_) string(counter.name), string(counter.unit);
    for (const Otf2AttributeText& attribute : otf2_attributes) string(attribute.name), string(attribute.meaning);
    comms_[0].members.resize(ranks_);
    for (std::uint32_t i = 0; i < ranks_; ++i) comms_[0].members[i] = i;
    group(comms_[0].members);
    for (std::size_t i = 0; i < comms_.size(); ++i) {
        string(comms_[i].name);
        if (i == 1) continue;
        group(comms_[i].members);
        if (!comms_[i].remote.empty()) group(comms_[i].remote);
    }
}

void Otf2Definitions::write(OTF2_GlobalDefWriter* writer, Otf2Errors& errors) {
    std::sort(locations_.begin(), locations_.end(), [](const Location& a, const Location& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.lane < b.lane;
    });
    number_strings_and_groups();
    for (std::uint32_t i = 0; i < strings_in_order_.size(); ++i)
        errors.check(OTF2_GlobalDefWriter_WriteString(writer, i, strings_in_order_[i]->c_str()));
    write_attributes(writer, errors);
    write_system(writer, errors);
    write_locations(writer, errors);
    write_regions(writer, errors);
    write_metrics(writer, errors);
    write_groups(writer, errors);
    write_comms(writer, errors);
}

} // namespace tactus
