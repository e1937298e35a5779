// The callbacks for OTF2's events, each of which calls a function of Otf2Lane.
#include "postproc/export/otf2_callbacks.hpp"
#include "postproc/export/otf2_lane.hpp"

namespace tactus {
namespace {

using Attributes = OTF2_AttributeList;

Otf2Lane& lane_of(void* data) { return *static_cast<Otf2Lane*>(data); }

std::int32_t as_signed(std::uint32_t value) { return static_cast<std::int32_t>(value); }

OTF2_CallbackCode on_enter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes* attributes,
                           OTF2_RegionRef region) {
    lane_of(data).enter(time, region, attributes);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_leave(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                           OTF2_RegionRef region) {
    lane_of(data).leave(time, region);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_send(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                          std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
    lane_of(data).sent(time, {comm, as_signed(receiver), as_signed(tag), bytes});
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_isend(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                           std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                           std::uint64_t request) {
    lane_of(data).sent(time, {comm, as_signed(receiver), as_signed(tag), bytes, request, true});
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_recv(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                          std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
    lane_of(data).received(time, {comm, as_signed(sender), as_signed(tag), bytes});
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_irecv(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                           std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                           std::uint64_t request) {
    const Otf2Lane::Sent message{comm, as_signed(sender), as_signed(tag), bytes, request, true};
    lane_of(data).ended(time, request, &message);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_post(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                          std::uint64_t request) {
    lane_of(data).begun(time, request, false);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_end(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                         std::uint64_t request) {
    lane_of(data).ended(time, request, nullptr);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_test(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                          std::uint64_t) {
    lane_of(data).tested(time);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_collective(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                                OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                std::uint64_t received) {
    lane_of(data).collective(time, {comm, as_signed(root), 0, operation, sent, received});
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_collective_begin(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void*, Attributes*) {
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_collective_start(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                                      std::uint64_t request) {
    lane_of(data).begun(time, request, true);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_collective_done(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                                     OTF2_CollectiveOp, OTF2_CommRef, std::uint32_t, std::uint64_t, std::uint64_t,
                                     std::uint64_t request) {
    lane_of(data).ended(time, request, nullptr);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_metric(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                            OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type* types,
                            const OTF2_MetricValue* values) {
    lane_of(data).metric(time, metric, count, types, values);
    return OTF2_CALLBACK_SUCCESS;
}
// With unwinding, Score-P writes these in place of enter and leave.
OTF2_CallbackCode on_context_enter(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data,
                                   Attributes* attributes, OTF2_CallingContextRef context, std::uint32_t) {
    lane_of(data).enter_context(time, context, attributes);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_context_leave(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* data, Attributes*,
                                   OTF2_CallingContextRef context) {
    lane_of(data).leave_context(time, context);
    return OTF2_CALLBACK_SUCCESS;
}

Otf2Callbacks callbacks_of_lane() {
    Otf2Callbacks callbacks = new_otf2_callbacks();
    OTF2_EvtReaderCallbacks* const to = callbacks.get();
    count_other_events(to);
    OTF2_EvtReaderCallbacks_SetEnterCallback(to, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(to, on_leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, on_send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, on_end);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, on_post);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(to, on_test);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(to, on_end);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(to, on_collective_begin);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, on_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(to, on_collective_start);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, on_collective_done);
    OTF2_EvtReaderCallbacks_SetMetricCallback(to, on_metric);
    OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(to, on_context_enter);
    OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(to, on_context_leave);
    return callbacks;
}

} // namespace

Outcome Otf2Lane::read() {
    const Otf2Callbacks callbacks = callbacks_of_lane();
    rank_.records.begin_lane(lane_.lane);
    if (Outcome done = rank_.archive.read_events(lane_.location, callbacks.get(), this); !done) return done;
    put_comments(~std::uint64_t{0});
    end_open();
    rank_.records.end_lane();
    return Done{};
}

// Ends the regions that never end in the archive.
void Otf2Lane::end_open() {
    while (depth_ > 0) {
        Frame& frame = frames_[depth_ - 1];
        frame.unfinished = true;
        end_frame(last_time_);
    }
}

} // namespace tactus
