#include "postproc/export/otf2_requests.hpp"

#include "postproc/export/otf2_callbacks.hpp"
#include "trace/record.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <utility>

namespace tactus {
namespace {

// As a flag in a request number of ours: the receiving half of an MPI_Isendrecv.
constexpr std::uint64_t most_requests = std::uint64_t{1} << 62;

Otf2Requests& requests_of(void* data) { return *static_cast<Otf2Requests*>(data); }

OTF2_CallbackCode on_send_begun(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, OTF2_AttributeList*,
                                std::uint32_t, OTF2_CommRef, std::uint32_t, std::uint64_t, std::uint64_t request) {
    requests_of(data).begun(time, request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_begun(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, OTF2_AttributeList*,
                           std::uint64_t request) {
    requests_of(data).begun(time, request);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_ended(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, OTF2_AttributeList*,
                           std::uint64_t request) {
    requests_of(data).ended(time, request, {});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_receive_ended(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                                   OTF2_AttributeList*, std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag,
                                   std::uint64_t, std::uint64_t request) {
    requests_of(data).ended(
        time, request,
        {.comm = comm, .peer = static_cast<std::int32_t>(sender), .tag = static_cast<std::int32_t>(tag)});
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_collective_ended(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                                      OTF2_AttributeList*, OTF2_CollectiveOp operation, OTF2_CommRef comm,
                                      std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                                      std::uint64_t request) {
    requests_of(data).ended(time, request,
                            {.comm = comm,
                             .peer = static_cast<std::int32_t>(root),
                             .operation = operation,
                             .sent = sent,
                             .received = received});
    return OTF2_CALLBACK_SUCCESS;
}

Otf2Callbacks callbacks_of_requests() {
    Otf2Callbacks callbacks = new_otf2_callbacks();
    OTF2_EvtReaderCallbacks* const to = callbacks.get();
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, on_send_begun);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, on_ended);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, on_begun);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, on_receive_ended);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(to, on_ended);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(to, on_begun);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, on_collective_ended);
    return callbacks;
}

} // namespace

Outcome Otf2Requests::read(const std::vector<ImportedLane>& lanes) {
    in_order_of_time_ = lanes.size() > 1 && !archive_.by_tactus();
    const Otf2Callbacks callbacks = callbacks_of_requests();
    for (const ImportedLane& lane : lanes) {
        lanes_.push_back({PagedList<Otf2Start>{to_}, PagedList<std::uint64_t>{to_}, PagedList<Edge>{to_}});
        if (Outcome done = archive_.read_events(lane.location, callbacks.get(), this); !done) return done;
        lanes_.back().edges.close();
    }
    if (in_order_of_time_) take_in_order_of_time();
    match_the_rest();
    if (no_room_) return Error{.what = "has more requests than there is room for", .file = archive_.path()};
    return Done{};
}

void Otf2Requests::begun(std::uint64_t time, std::uint64_t request) {
    PagedList<Otf2Start>& starts = lanes_.back().starts;
    no_room_ = no_room_ || !starts.push_back({});
    if (!no_room_) take({.how = {}, .time = time, .request = request, .index = starts.size() - 1, .begins = true});
}

void Otf2Requests::ended(std::uint64_t time, std::uint64_t request, const Otf2Start& how) {
    PagedList<std::uint64_t>& ends = lanes_.back().ends;
    no_room_ = no_room_ || !ends.push_back(0);
    if (!no_room_) take({.how = how, .time = time, .request = request, .index = ends.size() - 1});
}

// Takes an event of the lane that is being read, which is the last one.
void Otf2Requests::take(const Edge& edge) {
    if (in_order_of_time_)
        no_room_ = !lanes_.back().edges.push_back(edge);
    else
        take_of(static_cast<std::uint32_t>(lanes_.size() - 1), edge);
}

void Otf2Requests::take_of(std::uint32_t lane, const Edge& edge) {
    if (edge.begins)
        begin({lane, edge.index}, edge);
    else
        end({lane, edge.index}, edge);
}

void Otf2Requests::take_in_order_of_time() {
    using Next = std::pair<std::uint64_t, std::uint32_t>; // time and lane
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    std::vector<std::size_t> taken(lanes_.size());
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane)
        if (!lanes_[lane].edges.empty()) next.emplace(lanes_[lane].edges.front().time, lane);
    while (!next.empty()) {
        const std::uint32_t lane = next.top().second;
        next.pop();
        const PagedList<Edge>& edges = lanes_[lane].edges;
        std::size_t& i = taken[lane];
        do {
            take_of(lane, edges[i]);
            edges.pass(++i);
        } while (i < edges.size() && (next.empty() || edges[i].time < next.top().first));
        if (i < edges.size()) next.emplace(edges[i].time, lane);
    }
    for (Lane& lane : lanes_) lane.edges = {};
}

void Otf2Requests::begin(const Place& place, const Edge& edge) {
    if (in_order_of_time_ && ended_at_once(place, edge)) return;
    std::vector<Place>& open = open_[edge.request];
    std::erase_if(open, [&](const Place& older) { return older.lane == place.lane; });
    open.push_back(place);
}

// Whether another thread ended the request at the time at which it began: the clock may be that coarse.
bool Otf2Requests::ended_at_once(const Place& place, const Edge& edge) {
    const auto known = early_.find(edge.request);
    if (known == early_.end()) return false;
    std::vector<Early>& ends = known->second;
    const auto same = std::find_if(ends.begin(), ends.end(), [&](const Early& end) {
        return end.time == edge.time && end.place.lane != place.lane;
    });
    if (same == ends.end()) return false;
    match(place, same->place, same->how);
    ends.erase(same);
    return true;
}

void Otf2Requests::end(const Place& place, const Edge& edge) {
    const auto known = open_.find(edge.request);
    if (known == open_.end()) {
        early_[edge.request].push_back({place, edge.time, edge.how});
        return;
    }
    std::vector<Place>& open = known->second;
    auto own = std::find_if(open.begin(), open.end(), [&](const Place& begin) { return begin.lane == place.lane; });
    if (own == open.end()) own = std::prev(open.end());
    match(*own, place, edge.how);
    open.erase(own);
    if (open.empty()) open_.erase(known);
}

// What is left began in a thread that was read later, or in one whose clock is behind.
void Otf2Requests::match_the_rest() {
    for (const auto& [request, ends] : early_) {
        const auto known = open_.find(request);
        if (known == open_.end()) continue;
        for (std::size_t i = 0; i < std::min(ends.size(), known->second.size()); ++i)
            if (known->second[i].lane != ends[i].place.lane) match(known->second[i], ends[i].place, ends[i].how);
    }
    open_.clear();
    early_.clear();
}

void Otf2Requests::match(const Place& begin, const Place& end, const Otf2Start& how) {
    lanes_[begin.lane].starts[begin.index] = how;
    lanes_[end.lane].ends[end.index] = number_of(begin);
}

// Numbers begin with 1, since 0 is none.
std::uint64_t Otf2Requests::number_of(const Place& begin) { return request_number(begin.lane, begin.index + 1); }

Otf2Requests::Begun Otf2Requests::next_begun(std::uint32_t lane, std::uint64_t request) {
    Lane& of = lanes_[lane];
    if (of.next_start == of.starts.size()) return {};
    const Place place{lane, of.next_start};
    const Otf2Start start = of.starts[of.next_start];
    of.starts.pass(++of.next_start);
    return {start, archive_.by_tactus() ? request % most_requests : number_of(place)};
}

std::optional<std::uint64_t> Otf2Requests::next_ended(std::uint32_t lane, std::uint64_t request) {
    if (archive_.by_tactus()) return request % most_requests;
    Lane& of = lanes_[lane];
    if (of.next_end == of.ends.size()) return {};
    const std::uint64_t number = of.ends[of.next_end];
    of.ends.pass(++of.next_end);
    if (number == 0) return {};
    return number;
}

} // namespace tactus
