// CUPTI's activity interface (CUDA 12 and 13; cupti_activity.h). External correlation records are only made beside
// records of CUDA calls, so these are asked for, too, of launches alone where CUPTI can tell them apart.
#include "base/locked.hpp"
#include "base/ticks.hpp"
#include "nccl/kernel_join.hpp"
#include "nccl/kernels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cupti.h>
#include <dlfcn.h>
#include <new>
#include <string>
#include <utility>

namespace tactus::nccl::kernels {
namespace {

// Loaded when it is asked for, never linked: most machines have none.
struct Cupti {
    decltype(&cuptiSubscribe) subscribe = nullptr;
    decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
    decltype(&cuptiGetResultString) result_string = nullptr;
    decltype(&cuptiActivityRegisterTimestampCallback) register_clock = nullptr;
    decltype(&cuptiActivityRegisterCallbacks) register_buffers = nullptr;
    decltype(&cuptiActivityEnable) enable = nullptr;
    decltype(&cuptiActivityDisable) disable = nullptr;
    decltype(&cuptiActivityPushExternalCorrelationId) push = nullptr;
    decltype(&cuptiActivityPopExternalCorrelationId) pop = nullptr;
    decltype(&cuptiActivityFlushAll) flush_all = nullptr;
    decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
    decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
    // Newer than CUDA 12.0; nullptr: not there.
    CUptiResult (*enable_driver_call)(CUpti_CallbackId, std::uint8_t) = nullptr;
    CUptiResult (*enable_runtime_call)(CUpti_CallbackId, std::uint8_t) = nullptr;

    bool load(void* library);
};

bool Cupti::load(void* library) {
    const auto find = [&](auto*& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
    find(enable_driver_call, "cuptiActivityEnableDriverApi");
    find(enable_runtime_call, "cuptiActivityEnableRuntimeApi");
    return find(subscribe, "cuptiSubscribe") && find(unsubscribe, "cuptiUnsubscribe") &&
           find(result_string, "cuptiGetResultString") &&
           find(register_clock, "cuptiActivityRegisterTimestampCallback") &&
           find(register_buffers, "cuptiActivityRegisterCallbacks") && find(enable, "cuptiActivityEnable") &&
           find(disable, "cuptiActivityDisable") && find(push, "cuptiActivityPushExternalCorrelationId") &&
           find(pop, "cuptiActivityPopExternalCorrelationId") && find(flush_all, "cuptiActivityFlushAll") &&
           find(next_record, "cuptiActivityGetNextRecord") &&
           find(dropped_records, "cuptiActivityGetNumDroppedRecords");
}

// The one that the process has; else the one for its driver, where CUDA's toolkit puts it.
void* open_library() {
    const void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const auto get_version = reinterpret_cast<int (*)(int*)>(
        driver != nullptr ? dlsym(const_cast<void*>(driver), "cuDriverGetVersion") : nullptr);
    int version = CUDA_VERSION;
    if (get_version != nullptr) get_version(&version);
    const bool newer = version >= 13'000;
    for (const bool only_loaded : {true, false})
        for (const char* const folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/"})
            for (const char* const name :
                 {newer ? "libcupti.so.13" : "libcupti.so.12", newer ? "libcupti.so.12" : "libcupti.so.13"}) {
                const std::string path = std::string{folder} + name;
                if (void* const library =
                        dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | (only_loaded ? RTLD_NOLOAD : 0)))
                    return library;
            }
    return nullptr;
}

// The fields that are read stand where they stood since CUDA 11.
using KernelRecord = CUpti_ActivityKernel5;
static_assert(offsetof(KernelRecord, start) == offsetof(CUpti_ActivityKernel9, start));
static_assert(offsetof(KernelRecord, end) == offsetof(CUpti_ActivityKernel9, end));
static_assert(offsetof(KernelRecord, deviceId) == offsetof(CUpti_ActivityKernel9, deviceId));
static_assert(offsetof(KernelRecord, streamId) == offsetof(CUpti_ActivityKernel9, streamId));
static_assert(offsetof(KernelRecord, correlationId) == offsetof(CUpti_ActivityKernel9, correlationId));
static_assert(offsetof(KernelRecord, name) == offsetof(CUpti_ActivityKernel9, name));

constexpr auto mark_kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
constexpr std::array activities = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
constexpr std::array calls = {CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_ACTIVITY_KIND_RUNTIME};
// NCCL launches by one of these.
constexpr std::array driver_calls = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz};
constexpr std::array runtime_calls = {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                                      CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
                                      CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
                                      CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
#if CUPTI_API_VERSION >= 130000
                                      CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
                                      CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000
#endif
};

// From CUPTI to the drainer. What there is no buffer for, CUPTI drops and counts.
struct Buffer {
    alignas(8) std::array<std::uint8_t, 1 << 20> records;
    std::size_t filled;
    Buffer* next;
    std::atomic<bool> used; // acquire, release: pairs with the drainer's
};
using Buffers = std::array<Buffer, 16>;

Cupti cupti;
CUpti_SubscriberHandle subscriber = nullptr;
Buffers* buffers = nullptr;
constinit std::atomic<Buffer*> full{nullptr};     // release by CUPTI's thread, acquire by the drainer
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of CUPTI's end, against the flushes
bool active = false;                              // with `lock`
std::atomic<std::uint64_t> dropped{0};            // by CUPTI
KernelJoin* join = nullptr;                       // the drainer's, as the next
bool flushed = false;

void request_buffer(std::uint8_t** records, std::size_t* size, std::size_t* most_records) {
    *records = nullptr;
    *size = *most_records = 0;
    for (Buffer& one : *buffers)
        if (!one.used.exchange(true, std::memory_order_acquire)) {
            *records = one.records.data();
            *size = one.records.size();
            return;
        }
}

void take_buffer(CUcontext, std::uint32_t, std::uint8_t* records, std::size_t, std::size_t filled) {
    for (Buffer& one : *buffers) {
        if (one.records.data() != records) continue;
        one.filled = filled;
        one.next = full.load(std::memory_order_relaxed);
        while (!full.compare_exchange_weak(one.next, &one, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }
}

// CUPTI puts the GPU's times on this clock, whatever its unit: it compares both now and then.
std::uint64_t ticks_of_rank() { return now(); }

void ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

Outcome failed(const char* what, CUptiResult result) {
    const char* text = nullptr;
    cupti.result_string(result, &text);
    std::string why = std::string{"CUPTI does not "} + what + " (" + (text != nullptr ? text : "?") + ")";
    return Error{.what = std::move(why)};
}

// The worst of its results.
CUptiResult tell_launches(bool on) {
    CUptiResult worst = CUPTI_SUCCESS;
    if (cupti.enable_driver_call != nullptr && cupti.enable_runtime_call != nullptr) {
        for (const auto call : driver_calls) worst = std::max(worst, cupti.enable_driver_call(call, on ? 1 : 0));
        for (const auto call : runtime_calls) worst = std::max(worst, cupti.enable_runtime_call(call, on ? 1 : 0));
    } else {
        for (const CUpti_ActivityKind kind : calls)
            worst = std::max(worst, on ? cupti.enable(kind) : cupti.disable(kind));
    }
    return worst;
}

void stop() {
    for (const CUpti_ActivityKind kind : activities) cupti.disable(kind);
    tell_launches(false);
    cupti.unsubscribe(subscriber);
}

Outcome start() {
    if (auto result = cupti.register_clock(ticks_of_rank); result != CUPTI_SUCCESS)
        return failed("take the rank's clock", result);
    if (auto result = cupti.register_buffers(request_buffer, take_buffer); result != CUPTI_SUCCESS)
        return failed("take buffers", result);
    for (const CUpti_ActivityKind kind : activities)
        if (auto result = cupti.enable(kind); result != CUPTI_SUCCESS) return failed("tell of kernels", result);
    if (auto result = tell_launches(true); result != CUPTI_SUCCESS) return failed("tell of launches", result);
    return Done{};
}

// With `lock`.
void flush(std::uint32_t flag) {
    cupti.flush_all(flag);
    std::size_t count = 0;
    if (cupti.dropped_records(nullptr, 0, &count) == CUPTI_SUCCESS)
        dropped.fetch_add(count, std::memory_order_relaxed); // a statistic
}

void read(const CUpti_Activity* activity) {
    switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto& mark = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(activity);
        if (mark.externalKind == mark_kind) join->marked(mark.correlationId, {mark.externalId});
        return;
    }
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME: {
        const auto& call = *reinterpret_cast<const CUpti_ActivityAPI*>(activity);
        join->called(call.correlationId, call.start);
        return;
    }
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto& kernel = *reinterpret_cast<const KernelRecord*>(activity);
        join->ran({.number = kernel.correlationId,
                   .device = kernel.deviceId,
                   .stream = kernel.streamId,
                   .start = kernel.start,
                   .stop = kernel.end,
                   .name = kernel.name != nullptr ? kernel.name : "",
                   .mark = {}});
        return;
    }
    default:
        return;
    }
}

} // namespace

Outcome begin() {
    void* const library = open_library();
    if (library == nullptr)
        return Error{.what = "neither libcupti.so.13 nor libcupti.so.12 is found",
                     .advice = "LD_LIBRARY_PATH finds it"};
    if (!cupti.load(library)) return Error{.what = "this CUPTI is older than CUDA 12"};
    buffers = new (std::nothrow) Buffers;
    join = new (std::nothrow) KernelJoin;
    if (buffers == nullptr || join == nullptr) return Error{.what = "no memory for what CUPTI tells"};
    for (Buffer& one : *buffers) one.used.store(false, std::memory_order_relaxed);
    // Whoever has subscribed has CUPTI: what it does at the same time would come to us, and ours to it.
    if (const auto result = cupti.subscribe(&subscriber, ignore, nullptr); result != CUPTI_SUCCESS) {
        auto why = failed("let a second tool of the process in", result);
        return result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ? why : failed("start", result);
    }
    Outcome started = start();
    if (started)
        active = true;
    else
        stop();
    return started;
}

void launch_begins(LaunchMark mark) { cupti.push(mark_kind, mark.bits); }

void launch_ends() { cupti.pop(mark_kind, nullptr); }

void take(Assembly& assembly, TraceRows& rows, bool last) {
    Buffer* told = full.exchange(nullptr, std::memory_order_acquire); // in whatever order: it is joined by number
    while (told != nullptr) {
        Buffer& one = *std::exchange(told, told->next);
        CUpti_Activity* activity = nullptr;
        while (cupti.next_record(one.records.data(), one.filled, &activity) == CUPTI_SUCCESS) read(activity);
        one.used.store(false, std::memory_order_release);
    }
    for (const GpuKernel& kernel : join->take_joined()) assembly.kernel(kernel);
    if (std::exchange(flushed, false)) join->flushed();
    rows.count(Loss::nccl_kernels, join->take_lost(last) + dropped.exchange(0, std::memory_order_relaxed));
}

void flush() {
    const Locked hold{lock};
    if (!active) return;
    flush(0);
    flushed = true;
}

void end() {
    const Locked hold{lock};
    if (!std::exchange(active, false)) return;
    flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    stop();
}

} // namespace tactus::nccl::kernels
