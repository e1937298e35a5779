#include "postproc/export/otf2_starts.hpp"

#include <memory>

namespace tactus {
namespace {

Otf2Starts& starts_of(void* data) { return *static_cast<Otf2Starts*>(data); }

OTF2_CallbackCode on_request(OTF2_LocationRef location, OTF2_TimeStamp, std::uint64_t, void* data, OTF2_AttributeList*,
                             std::uint64_t request) {
    starts_of(data).started(location, request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_receive(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* data, OTF2_AttributeList*,
                             std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t,
                             std::uint64_t request) {
    starts_of(data).ended(
        request, {.comm = comm, .peer = static_cast<std::int32_t>(sender), .tag = static_cast<std::int32_t>(tag)});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* data, OTF2_AttributeList*,
                                OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                std::uint64_t received, std::uint64_t request) {
    starts_of(data).ended(request, {.comm = comm,
                                    .peer = static_cast<std::int32_t>(root),
                                    .operation = operation,
                                    .sent = sent,
                                    .received = received});
    return OTF2_CALLBACK_SUCCESS;
}

} // namespace

Outcome Otf2Starts::read(const Otf2Archive& archive, const std::vector<std::uint64_t>& locations) {
    const std::unique_ptr<OTF2_EvtReaderCallbacks, void (*)(OTF2_EvtReaderCallbacks*)> callbacks{
        OTF2_EvtReaderCallbacks_New(), OTF2_EvtReaderCallbacks_Delete};
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks.get(), on_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks.get(), on_request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks.get(), on_receive);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks.get(), on_collective);
    for (const std::uint64_t location : locations)
        if (Outcome done = archive.read_events(location, callbacks.get(), this); !done) return done;
    open_.clear();
    early_.clear();
    if (no_room_) return Error{.what = "has more requests than there is room for", .file = archive.path()};
    return Done{};
}

void Otf2Starts::started(std::uint64_t location, std::uint64_t request) {
    OfLocation& list = lists_.try_emplace(location, OfLocation{PagedList<Otf2Start>{to_}, 0}).first->second;
    Otf2Start start;
    const auto early = early_.find(request);
    if (early != early_.end()) {
        start = early->second;
        early_.erase(early);
    } else {
        open_[request] = {location, list.starts.size()};
    }
    no_room_ = !list.starts.push_back(start) || no_room_;
}

void Otf2Starts::ended(std::uint64_t request, const Otf2Start& how) {
    const auto open = open_.find(request);
    if (open == open_.end()) {
        early_[request] = how;
        return;
    }
    lists_.at(open->second.location).starts[open->second.index] = how;
    open_.erase(open);
}

const Otf2Start* Otf2Starts::next(std::uint64_t location) {
    const auto found = lists_.find(location);
    if (found == lists_.end() || found->second.next == found->second.starts.size()) return nullptr;
    const Otf2Start* const start = &found->second.starts[found->second.next];
    found->second.starts.pass(++found->second.next);
    return start;
}

} // namespace tactus
