#include "postproc/export/otf2_archive.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace tactus {
namespace {

namespace fs = std::filesystem;

constexpr const char* what_an_archive_is = "give the folder of an OTF2 archive, or its file NAME.otf2";

Otf2Content& content_of(void* data) { return *static_cast<Otf2Content*>(data); }

OTF2_CallbackCode take_clock(void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length,
                             std::uint64_t realtime) {
    Otf2Content& content = content_of(data);
    content.resolution = resolution;
    content.offset = offset;
    content.length = length;
    content.realtime_ns = realtime;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_string(void* data, OTF2_StringRef self, const char* text) {
    content_of(data).strings[self] = text != nullptr ? text : "";
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_node(void* data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef class_name,
                            OTF2_SystemTreeNodeRef parent) {
    Otf2Content& content = content_of(data);
    content.nodes[self] = {content.string(name), content.string(class_name), parent};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_location_group(void* data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                      OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef) {
    Otf2Content& content = content_of(data);
    content.location_groups[self] = {content.string(name), node, type == OTF2_LOCATION_GROUP_TYPE_PROCESS};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_location(void* data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                std::uint64_t events, OTF2_LocationGroupRef group) {
    Otf2Content& content = content_of(data);
    content.locations[self] = {content.string(name), group, events, type == OTF2_LOCATION_TYPE_CPU_THREAD};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                              OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef file, std::uint32_t begin,
                              std::uint32_t end) {
    Otf2Content& content = content_of(data);
    content.regions[self] = {content.string(name), content.string(file), begin, end};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_context(void* data, OTF2_CallingContextRef self, OTF2_RegionRef region,
                               OTF2_SourceCodeLocationRef, OTF2_CallingContextRef) {
    content_of(data).contexts[self] = region;
    return OTF2_CALLBACK_SUCCESS;
}

// EZTrace gives the group of all locations and that of MPI_COMM_WORLD the same number, so the former is kept elsewhere.
OTF2_CallbackCode take_group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                             OTF2_Paradigm paradigm, OTF2_GroupFlag, std::uint32_t count,
                             const std::uint64_t* members) {
    Otf2Content& content = content_of(data);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) {
        if (paradigm == OTF2_PARADIGM_MPI) content.rank_locations.assign(members, members + count);
        return OTF2_CALLBACK_SUCCESS;
    }
    content.groups[self] = {type, {members, members + count}};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_comm(void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                            OTF2_CommRef parent, OTF2_CommFlag) {
    Otf2Content& content = content_of(data);
    content.comms[self] = {content.string(name), group, OTF2_UNDEFINED_GROUP, parent};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_intercomm(void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a, OTF2_GroupRef b,
                                 OTF2_CommRef common, OTF2_CommFlag) {
    Otf2Content& content = content_of(data);
    content.comms[self] = {content.string(name), a, b, common};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_metric(void* data, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef,
                              OTF2_MetricType, OTF2_MetricMode mode, OTF2_Type type, OTF2_Base, std::int64_t,
                              OTF2_StringRef unit) {
    Otf2Content& content = content_of(data);
    content.metrics[self] = {content.string(name), content.string(unit), type, mode};
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_metric_class(void* data, OTF2_MetricRef self, std::uint8_t count,
                                    const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence, OTF2_RecorderKind) {
    content_of(data).metric_classes[self].assign(members, members + count);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_metric_instance(void* data, OTF2_MetricRef self, OTF2_MetricRef metric_class, OTF2_LocationRef,
                                       OTF2_MetricScope, std::uint64_t) {
    Otf2Content& content = content_of(data);
    content.metric_classes[self] = content.metric_classes[metric_class];
    return OTF2_CALLBACK_SUCCESS;
}

struct DeleteCallbacks {
    void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const { OTF2_GlobalDefReaderCallbacks_Delete(callbacks); }
    void operator()(OTF2_MarkerReaderCallbacks* otf_marker_reader_callbacks) const {
        OTF2_MarkerReaderCallbacks_Delete(otf_marker_reader_callbacks);
    }
};
using GlobalCallbacks = std::unique_ptr<OTF2_GlobalDefReaderCallbacks, DeleteCallbacks>;

GlobalCallbacks definition_callbacks() {
    GlobalCallbacks all{OTF2_GlobalDefReaderCallbacks_New()};
    OTF2_GlobalDefReaderCallbacks* const to = all.get();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(to, take_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(to, take_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(to, take_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(to, take_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(to, take_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(to, take_region);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(to, take_context);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(to, take_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(to, take_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(to, take_intercomm);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(to, take_metric);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(to, take_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(to, take_metric_instance);
    return all;
}

Result<std::string> anchor_file(const std::string& path) {
    std::error_code failed;
    if (!fs::exists(path, failed)) return Error{.what = "does not exist", .file = path, .advice = what_an_archive_is};
    if (!fs::is_directory(path, failed)) return path;
    std::vector<std::string> found;
    for (auto at = fs::directory_iterator{path, failed}; !failed && at != fs::directory_iterator{};
         at.increment(failed))
        if (at->path().extension() == ".otf2") found.push_back(at->path().string());
    if (found.size() == 1) return found.front();
    return Error{.what =
                     found.empty() ? "is no OTF2 archive: no file NAME.otf2 is in it" : "has several files NAME.otf2",
                 .file = path,
                 .advice = what_an_archive_is};
}

} // namespace

Result<Otf2Archive> Otf2Archive::open(const std::string& path) {
    const auto anchor = anchor_file(path);
    if (!anchor) return anchor.error();
    Otf2Archive archive;
    archive.path_ = *anchor;
    archive.errors_ = std::make_unique<Otf2Errors>();
    archive.reader_.reset(OTF2_Reader_Open(anchor->c_str()));
    if (!archive.reader_) return archive.error(what_an_archive_is);
    archive.errors_->check(OTF2_Reader_SetSerialCollectiveCallbacks(archive.reader()));
    if (const Outcome read = archive.read_definitions(); !read) return read.error();
    char* creator = nullptr;
    if (OTF2_Reader_GetCreator(archive.reader(), &creator) == OTF2_SUCCESS && creator != nullptr)
        archive.by_tactus_ = std::string{creator} == "tactus";
    std::free(creator);
    return archive;
}

Outcome Otf2Archive::read_definitions() {
    content_ = std::make_unique<Otf2Content>();
    OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader());
    if (definitions == nullptr) return error("the archive is not whole");
    const GlobalCallbacks callbacks = definition_callbacks();
    errors_->check(OTF2_Reader_RegisterGlobalDefCallbacks(reader(), definitions, callbacks.get(), content_.get()));
    std::uint64_t read = 0;
    errors_->check(OTF2_Reader_ReadAllGlobalDefinitions(reader(), definitions, &read));
    if (errors_->any()) return error("the archive is not whole");
    errors_->check(OTF2_Reader_CloseGlobalDefReader(reader(), definitions));
    if (content_->resolution == 0 || content_->resolution > std::uint64_t{1'000'000'000'000'000})
        return Error{.what = "says that its clock makes " + std::to_string(content_->resolution) + " ticks a second",
                     .file = path_};
    for (const auto& [location, description] : content_->locations)
        errors_->check(OTF2_Reader_SelectLocation(reader(), location));
    const bool local = OTF2_Reader_OpenDefFiles(reader()) == OTF2_SUCCESS;
    errors_->check(OTF2_Reader_OpenEvtFiles(reader()));
    for (const auto& [location, description] : content_->locations) {
        OTF2_DefReader* own = local ? OTF2_Reader_GetDefReader(reader(), location) : nullptr;
        if (own == nullptr) continue;
        // Once these are read, OTF2 gives this location's events the archive's numbers and clock.
        errors_->check(OTF2_Reader_ReadAllLocalDefinitions(reader(), own, &read));
        errors_->check(OTF2_Reader_CloseDefReader(reader(), own));
    }
    if (local) errors_->check(OTF2_Reader_CloseDefFiles(reader()));
    if (errors_->any()) return error("the archive is not whole");
    return Done{};
}

std::uint64_t Otf2Archive::identity() const {
    std::uint64_t id = 0;
    OTF2_Reader_GetTraceId(reader(), &id);
    return id;
}

std::string Otf2Archive::property(const char* name) const {
    char* value = nullptr;
    std::string text;
    if (OTF2_Reader_GetProperty(reader(), name, &value) == OTF2_SUCCESS && value != nullptr) text = value;
    std::free(value);
    return text;
}

Outcome Otf2Archive::read_events(std::uint64_t location, const OTF2_EvtReaderCallbacks* callbacks, void* data) const {
    OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader(), location);
    if (events == nullptr) return error("the archive is not whole");
    std::uint64_t read = 0;
    errors_->check(OTF2_Reader_RegisterEvtCallbacks(reader(), events, callbacks, data));
    errors_->check(OTF2_Reader_ReadAllLocalEvents(reader(), events, &read));
    errors_->check(OTF2_Reader_CloseEvtReader(reader(), events));
    if (errors_->any()) return error("the archive is not whole");
    const std::uint64_t expected = content().locations.at(location).events;
    if (read < expected && expected != OTF2_UNDEFINED_UINT64)
        return Error{.what = "location " + std::to_string(location) + " has " + std::to_string(read) + " of " +
                             std::to_string(expected) + " events",
                     .file = path_,
                     .advice = "the archive is not whole"};
    return Done{};
}

namespace {
struct TakenMarkers {
    std::map<std::uint64_t, std::vector<Otf2Archive::Marker>> of_location;
    std::uint64_t elsewhere = 0;
};
OTF2_CallbackCode take_marker(void* data, OTF2_TimeStamp time, OTF2_TimeStamp, OTF2_MarkerRef, OTF2_MarkerScope scope,
                              std::uint64_t where, const char* text) {
    auto& taken = *static_cast<TakenMarkers*>(data);
    if (scope == OTF2_MARKER_SCOPE_LOCATION)
        taken.of_location[where].push_back({time, text != nullptr ? text : ""});
    else
        ++taken.elsewhere;
    return OTF2_CALLBACK_SUCCESS;
}
} // namespace

Result<std::map<std::uint64_t, std::vector<Otf2Archive::Marker>>> Otf2Archive::markers(std::uint64_t& elsewhere) const {
    TakenMarkers taken;
    std::error_code failed;
    if (!fs::exists(fs::path{path_}.replace_extension(".marker"), failed)) return std::move(taken.of_location);
    OTF2_MarkerReader* markers = OTF2_Reader_GetMarkerReader(reader());
    if (markers == nullptr) return error("the archive is not whole");
    const std::unique_ptr<OTF2_MarkerReaderCallbacks, DeleteCallbacks> callbacks{OTF2_MarkerReaderCallbacks_New()};
    OTF2_MarkerReaderCallbacks_SetMarkerCallback(callbacks.get(), take_marker);
    std::uint64_t read = 0;
    errors_->check(OTF2_Reader_RegisterMarkerCallbacks(reader(), markers, callbacks.get(), &taken));
    errors_->check(OTF2_Reader_ReadAllMarkers(reader(), markers, &read));
    errors_->check(OTF2_Reader_CloseMarkerReader(reader(), markers));
    if (errors_->any()) return error("the archive is not whole");
    elsewhere = taken.elsewhere;
    for (auto& [location, list] : taken.of_location)
        std::stable_sort(list.begin(), list.end(), [](const Marker& a, const Marker& b) { return a.time < b.time; });
    return std::move(taken.of_location);
}

} // namespace tactus
