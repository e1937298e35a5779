// Uses CUPTI's activity interface (CUDA 12 and 13; cupti_activity.h). CUPTI makes external correlation records only
// beside records of CUDA's calls, so those are enabled, too. (cuptiActivityEnableDriverApi would enable them for
// launches alone. But where a CUDA context exists already, as here, it was seen to succeed without any effect.)
#include "base/ticks.hpp"
#include "collector/nccl/kernel_join.hpp"
#include "collector/nccl/kernels.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <ctime>
#include <cupti.h>
#include <dlfcn.h>
#include <new>
#include <string>
#include <utility>

namespace tactus::nccl::kernels {
namespace {

// CUPTI is loaded when the user asks for it. It is never linked, because most machines have none.
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

    bool load(void* library);
};

bool Cupti::load(void* library) {
    const auto find = [&](auto*& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        return function != nullptr;
    };
    return find(subscribe, "cuptiSubscribe") && find(unsubscribe, "cuptiUnsubscribe") &&
           find(result_string, "cuptiGetResultString") &&
           find(register_clock, "cuptiActivityRegisterTimestampCallback") &&
           find(register_buffers, "cuptiActivityRegisterCallbacks") && find(enable, "cuptiActivityEnable") &&
           find(disable, "cuptiActivityDisable") && find(push, "cuptiActivityPushExternalCorrelationId") &&
           find(pop, "cuptiActivityPopExternalCorrelationId") && find(flush_all, "cuptiActivityFlushAll") &&
           find(next_record, "cuptiActivityGetNextRecord");
}

// Opens the CUPTI that the process has; else the one for its driver, where CUDA's toolkit installs it.
void* open_library() {
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const auto get_version =
        reinterpret_cast<int (*)(int*)>(driver != nullptr ? dlsym(driver, "cuDriverGetVersion") : nullptr);
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

// The fields that are read have had the same offsets since CUDA 11.
using KernelRecord = CUpti_ActivityKernel5;
static_assert(offsetof(KernelRecord, start) == offsetof(CUpti_ActivityKernel9, start));
static_assert(offsetof(KernelRecord, end) == offsetof(CUpti_ActivityKernel9, end));
static_assert(offsetof(KernelRecord, deviceId) == offsetof(CUpti_ActivityKernel9, deviceId));
static_assert(offsetof(KernelRecord, streamId) == offsetof(CUpti_ActivityKernel9, streamId));
static_assert(offsetof(KernelRecord, correlationId) == offsetof(CUpti_ActivityKernel9, correlationId));
static_assert(offsetof(KernelRecord, name) == offsetof(CUpti_ActivityKernel9, name));

constexpr auto mark_kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
constexpr std::array activities = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_DRIVER,
                                   CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};

// Carries records from CUPTI to the drainer. Each thread that calls CUDA has one at a time, and so has each context.
// CUPTI drops records for which there is no buffer.
struct Buffer {
    alignas(8) std::array<std::uint8_t, 1 << 18> records;
    std::size_t filled;
    Buffer* next;
    std::atomic<bool> used; // acquire by CUPTI's thread, release by the drainer
};
using Buffers = std::array<Buffer, 64>;

Cupti cupti;
CUpti_SubscriberHandle subscriber = nullptr;
Buffers* buffers = nullptr;
constinit std::atomic<Buffer*> full{nullptr}; // release by CUPTI's thread, acquire by the drainer
KernelJoin* join = nullptr;                   // used by the drainer only

void request_buffer(std::uint8_t** records, std::size_t* size, std::size_t* most_records) {
    *records = nullptr;
    *size = *most_records = 0;
    for (Buffer& buffer : *buffers)
        if (!buffer.used.exchange(true, std::memory_order_acquire)) {
            *records = buffer.records.data();
            *size = buffer.records.size();
            return;
        }
}

void take_buffer(CUcontext, std::uint32_t, std::uint8_t* records, std::size_t, std::size_t filled) {
    for (Buffer& buffer : *buffers) {
        if (buffer.records.data() != records) continue;
        buffer.filled = filled;
        buffer.next = full.load(std::memory_order_relaxed);
        while (
            !full.compare_exchange_weak(buffer.next, &buffer, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }
}

// CUPTI's header asks for nanoseconds. But CUPTI only compares this clock with the GPU's now and then, and converts the
// GPU's times to it.
std::uint64_t ticks_of_rank() { return now(); }

// The clock that CUPTI uses by itself. A registered clock cannot be removed, only replaced by another one.
std::uint64_t usual_clock() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

void ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

Outcome failed(const char* what, CUptiResult result) {
    const char* text = nullptr;
    cupti.result_string(result, &text);
    std::string why = std::string{"CUPTI does not "} + what + " (" + (text != nullptr ? text : "?") + ")";
    return Error{.what = std::move(why)};
}

void disable() {
    for (const CUpti_ActivityKind kind : activities) cupti.disable(kind);
}

Outcome start() {
    if (auto result = cupti.register_clock(ticks_of_rank); result != CUPTI_SUCCESS)
        return failed("take the rank's clock", result);
    if (auto result = cupti.register_buffers(request_buffer, take_buffer); result != CUPTI_SUCCESS)
        return failed("take buffers", result);
    for (const CUpti_ActivityKind kind : activities)
        if (auto result = cupti.enable(kind); result != CUPTI_SUCCESS) return failed("tell of kernels", result);
    return Done{};
}

void read(const CUpti_Activity* activity) {
    switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto& mark = *reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(activity);
        if (mark.externalKind == mark_kind) join->marked(mark.correlationId, {mark.externalId});
        return;
    }
    case CUPTI_ACTIVITY_KIND_DRIVER: {
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
    // Only the tool that subscribes uses CUPTI. Otherwise one tool's records would reach the other.
    if (const auto result = cupti.subscribe(&subscriber, ignore, nullptr); result != CUPTI_SUCCESS)
        return failed("let this tool in", result);
    Outcome started = start();
    if (!started) {
        disable();
        let_go();
    }
    return started;
}

void launch_begins(LaunchMark mark) { cupti.push(mark_kind, mark.bits); }

void launch_ends() { cupti.pop(mark_kind, nullptr); }

void take(Assembly& assembly) {
    Buffer* told = full.exchange(nullptr, std::memory_order_acquire); // in any order: they are joined by number
    while (told != nullptr) {
        Buffer& buffer = *std::exchange(told, told->next);
        CUpti_Activity* activity = nullptr;
        while (cupti.next_record(buffer.records.data(), buffer.filled, &activity) == CUPTI_SUCCESS) read(activity);
        buffer.used.store(false, std::memory_order_release);
    }
    for (const GpuKernel& kernel : join->take_joined()) assembly.kernel(kernel);
}

void flush() { cupti.flush_all(0); }

void end() {
    disable();
    cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

void let_go() {
    cupti.register_clock(usual_clock);
    cupti.unsubscribe(subscriber);
}

} // namespace tactus::nccl::kernels
