// CUPTI's activity interface without a GPU, as far as the plugin uses it, by CUPTI's own headers. Kernels are those
// that fake_cuda_launch() and fake_cuda_ran() speak of. Records of calls and of kernels come in buffers of their own,
// the kernels' first, so that a kernel may be told before its launch.
//
// FAKE_CUPTI_MODE: "refuse", another tool has CUPTI; "lose", every tenth kernel is never told; "impossible", every
// tenth has times that cannot be.
#include "tests/nccl/fake_cuda.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cupti.h>
#include <deque>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

std::uint64_t default_clock() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

std::int64_t monotonic_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// The registered clock beside CLOCK_MONOTONIC.
struct Moment {
    std::int64_t monotonic = 0;
    std::uint64_t clock = 0;

    static Moment read(CUpti_TimestampCallbackFunc clock) {
        Moment best;
        std::int64_t narrowest = std::numeric_limits<std::int64_t>::max();
        for (int i = 0; i < 10; ++i) {
            const std::int64_t before = monotonic_ns();
            const std::uint64_t time = clock();
            const std::int64_t after = monotonic_ns();
            if (after - before >= narrowest) continue;
            narrowest = after - before;
            best = {before + (after - before) / 2, time};
        }
        return best;
    }
};

using Bytes = std::vector<std::uint8_t>;

template <class Record> Bytes bytes_of(const Record& record) {
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(&record);
    return {begin, begin + sizeof record};
}

std::size_t size_of(CUpti_ActivityKind kind) {
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
        return sizeof(CUpti_ActivityAPI);
    default:
        return sizeof(CUpti_ActivityKernel9);
    }
}

struct Kernel {
    std::string name;
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::int64_t start_ns = 0;
    std::int64_t stop_ns = 0;
};

struct State {
    std::mutex mutex;
    bool subscribed = false;
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    CUpti_TimestampCallbackFunc clock = default_clock;
    Moment first = Moment::read(default_clock); // when the clock was registered
    Moment last = first;
    std::set<CUpti_ActivityKind> kinds;
    std::set<CUpti_CallbackId> driver_calls;
    std::uint32_t launches = 0;
    std::deque<Bytes> calls;                            // records that are ready
    std::unordered_map<std::uint32_t, Kernel> launched; // by number; not told yet
    std::set<std::string> names;                        // valid for good, as CUPTI's
    std::size_t dropped = 0;
    // By the straight line through both moments, as CUPTI does.
    [[nodiscard]] std::uint64_t by_clock(std::int64_t monotonic) const {
        const auto ticks = static_cast<double>(last.clock - first.clock);
        const double rate = ticks / static_cast<double>(last.monotonic - first.monotonic);
        return last.clock -
               static_cast<std::uint64_t>(std::llround(rate * static_cast<double>(last.monotonic - monotonic)));
    }
    const std::string mode = std::getenv("FAKE_CUPTI_MODE") != nullptr ? std::getenv("FAKE_CUPTI_MODE") : "";
};

State& state() {
    static State* const one = new State; // outlives whatever still calls at exit
    return *one;
}

thread_local std::unordered_map<int, std::vector<std::uint64_t>> external_ids; // by kind

bool tells_launches(const State& s) {
    return s.kinds.contains(CUPTI_ACTIVITY_KIND_DRIVER) ||
           s.driver_calls.contains(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
}

// With `mutex`. Nothing where the kernel is not told.
Bytes kernel_record(State& s, std::uint32_t number, const Kernel& kernel, bool ended) {
    constexpr std::uint32_t every = 10;
    if (s.mode == "lose" && number % every == 0) return {};
    CUpti_ActivityKernel9 record;
    std::memset(&record, 0, sizeof record);
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.start = s.by_clock(kernel.start_ns);
    record.end = ended ? s.by_clock(kernel.stop_ns) : 0;
    if (s.mode == "impossible" && number % every == 0) record.start -= 1'000'000'000'000; // long before its launch
    record.deviceId = kernel.device;
    record.streamId = kernel.stream;
    record.correlationId = number;
    record.name = s.names.insert(kernel.name).first->c_str();
    return bytes_of(record);
}

// With `mutex`.
void deliver(State& s, const std::deque<Bytes>& records) {
    std::size_t next = 0;
    while (next < records.size()) {
        std::uint8_t* buffer = nullptr;
        std::size_t size = 0;
        std::size_t most = 0;
        s.request(&buffer, &size, &most);
        if (buffer == nullptr) {
            s.dropped += records.size() - next;
            return;
        }
        std::size_t filled = 0;
        while (next < records.size() && filled + records[next].size() <= size) {
            std::memcpy(buffer + filled, records[next].data(), records[next].size());
            filled += records[next++].size();
        }
        s.complete(nullptr, 0, buffer, size, filled);
    }
}

// With `mutex`.
void flush(State& s, bool forced) {
    s.last = Moment::read(s.clock);
    std::deque<Bytes> kernels;
    std::erase_if(s.launched, [&](const auto& one) {
        const auto& [number, kernel] = one;
        const bool ended = kernel.stop_ns != 0 && kernel.stop_ns <= monotonic_ns();
        if (!ended && !forced) return false;
        if (!s.kinds.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return true;
        if (Bytes record = kernel_record(s, number, kernel, ended); !record.empty())
            kernels.push_back(std::move(record));
        return true;
    });
    deliver(s, kernels);
    deliver(s, s.calls);
    s.calls.clear();
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

std::uint32_t fake_cuda_launch(const char* kernel, std::uint32_t device, std::uint32_t stream) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    const std::uint32_t number = ++s.launches;
    if (tells_launches(s)) {
        if (s.kinds.contains(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION))
            for (const auto& [kind, ids] : external_ids) {
                if (ids.empty()) continue;
                CUpti_ActivityExternalCorrelation mark;
                std::memset(&mark, 0, sizeof mark);
                mark.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
                mark.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
                mark.externalId = ids.back();
                mark.correlationId = number;
                s.calls.push_back(bytes_of(mark));
            }
        CUpti_ActivityAPI call;
        std::memset(&call, 0, sizeof call);
        call.kind = CUPTI_ACTIVITY_KIND_DRIVER;
        call.cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx;
        call.correlationId = number;
        call.start = s.clock();
        call.end = s.clock();
        s.calls.push_back(bytes_of(call));
    }
    s.launched[number] = {kernel, device, stream, 0, 0};
    return number;
}

void fake_cuda_ran(std::uint32_t launch, std::int64_t start_ns, std::int64_t stop_ns) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    const auto kernel = s.launched.find(launch);
    if (kernel == s.launched.end()) return;
    kernel->second.start_ns = start_ns;
    kernel->second.stop_ns = stop_ns;
    constexpr std::size_t a_buffer = 10'000; // records; CUPTI delivers what is full by itself
    if (s.calls.size() >= a_buffer) flush(s, false);
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc, void*) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    if (s.subscribed || s.mode == "refuse") return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    s.subscribed = true;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&s);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    s.subscribed = false;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
    *text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                                                     : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
    state().clock = clock;
    state().first = Moment::read(clock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
    state().request = request;
    state().complete = complete;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    s.kinds.insert(kind);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    s.kinds.erase(kind);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId call, std::uint8_t enable) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    if (enable != 0)
        s.driver_calls.insert(call);
    else
        s.driver_calls.erase(call);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId, std::uint8_t) { return CUPTI_SUCCESS; }

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, std::uint64_t id) {
    external_ids[kind].push_back(id);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, std::uint64_t* last) {
    std::vector<std::uint64_t>& ids = external_ids[kind];
    if (ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
    if (last != nullptr) *last = ids.back();
    ids.pop_back();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    if (s.request == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
    flush(s, flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t filled, CUpti_Activity** record) {
    std::uint8_t* next = buffer;
    if (*record != nullptr) next = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
    if (next >= buffer + filled) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    *dropped = std::exchange(s.dropped, 0);
    return CUPTI_SUCCESS;
}

} // extern "C"
#pragma GCC visibility pop
