#include "postproc/export/otf2_callbacks.hpp"

#include "postproc/export/otf2_lane.hpp"

namespace tactus {
namespace {

constexpr char buffer_flush[] = "times in which the measuring tool wrote its buffers";
constexpr char samples[] = "samples of call stacks";
constexpr char comms[] = "creations of communicators";
constexpr char io[] = "operations on files";
constexpr char switched[] = "times at which recording was switched on or off";
constexpr char openmp[] = "events of OpenMP";
constexpr char parameters[] = "parameters of regions";
constexpr char program[] = "beginnings and ends of the program";
constexpr char rma[] = "events of one-sided operations";
constexpr char threads[] = "events of threads and their teams";
constexpr char unknown[] = "events of kinds that this tactus does not know";

template <const char* what, class... Rest>
OTF2_CallbackCode count(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* data, OTF2_AttributeList*, Rest...) {
    static_cast<Otf2Lane*>(data)->not_imported(what);
    return OTF2_CALLBACK_SUCCESS;
}

void count_rma(OTF2_EvtReaderCallbacks* to) {
    OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaSyncCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaTryLockCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(to, count<rma>);
    OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(to, count<rma>);
}

void count_threads(OTF2_EvtReaderCallbacks* to) {
    OTF2_EvtReaderCallbacks_SetOmpAcquireLockCallback(to, count<openmp>);
    OTF2_EvtReaderCallbacks_SetOmpForkCallback(to, count<openmp>);
    OTF2_EvtReaderCallbacks_SetOmpJoinCallback(to, count<openmp>);
    OTF2_EvtReaderCallbacks_SetOmpReleaseLockCallback(to, count<openmp>);
    OTF2_EvtReaderCallbacks_SetOmpTaskCompleteCallback(to, count<openmp>);
    OTF2_EvtReaderCallbacks_SetOmpTaskCreateCallback(to, count<openmp>);
    OTF2_EvtReaderCallbacks_SetOmpTaskSwitchCallback(to, count<openmp>);
    OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadBeginCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadCreateCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadEndCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadForkCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadJoinCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(to, count<threads>);
    OTF2_EvtReaderCallbacks_SetThreadWaitCallback(to, count<threads>);
}

void count_files(OTF2_EvtReaderCallbacks* to) {
    OTF2_EvtReaderCallbacks_SetIoAcquireLockCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoChangeStatusFlagsCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoDeleteFileCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoDuplicateHandleCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoOperationIssuedCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoOperationTestCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoReleaseLockCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoSeekCallback(to, count<io>);
    OTF2_EvtReaderCallbacks_SetIoTryLockCallback(to, count<io>);
}

} // namespace

void count_other_events(OTF2_EvtReaderCallbacks* to) {
    count_rma(to);
    count_threads(to);
    count_files(to);
    OTF2_EvtReaderCallbacks_SetBufferFlushCallback(to, count<buffer_flush>);
    OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(to, count<samples>);
    OTF2_EvtReaderCallbacks_SetCommCreateCallback(to, count<comms>);
    OTF2_EvtReaderCallbacks_SetCommDestroyCallback(to, count<comms>);
    OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(to, count<switched>);
    OTF2_EvtReaderCallbacks_SetParameterIntCallback(to, count<parameters>);
    OTF2_EvtReaderCallbacks_SetParameterStringCallback(to, count<parameters>);
    OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(to, count<parameters>);
    OTF2_EvtReaderCallbacks_SetProgramBeginCallback(to, count<program>);
    OTF2_EvtReaderCallbacks_SetProgramEndCallback(to, count<program>);
    OTF2_EvtReaderCallbacks_SetUnknownCallback(to, count<unknown>);
}

} // namespace tactus
