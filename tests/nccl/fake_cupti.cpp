// CUPTI's activity interface without a GPU, as far as the plugin uses it, with CUPTI's own headers. It reports the
// kernels that fake_cuda_launch() and fake_cuda_ran() announce. Records of calls and records of kernels are in separate
// buffers, and those of kernels are delivered first, so a kernel may be reported before its launch. A thread delivers
// them; the child of a fork does not have this thread. After this library's own exit handler has run nothing works any
// more, and the names of the kernels are gone.
//
// FAKE_CUPTI_MODE: "refuse": another tool has CUPTI. "lose": every tenth kernel is never reported. "impossible": every
// tenth has impossible times. "early": every tenth is said to have run somewhat before its launch. "hold": nothing is
// reported before it is asked for.
#include "tests/nccl/fake_cuda.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cupti.h>
#include <deque>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <unordered_map>
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

// The registered clock and CLOCK_MONOTONIC at the same moment.
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
        return sizeof(CUpti_ActivityAPI);
    default:
        return sizeof(CUpti_ActivityKernel9);
    }
}

struct Kernel {
    std::string name;
    std::uint64_t called = 0; // on the registered clock
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    std::int64_t start_ns = 0;
    std::int64_t stop_ns = 0;
};

struct State {
    std::mutex mutex;
    bool subscribed = false;
    bool ended = false;
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    CUpti_TimestampCallbackFunc clock = default_clock;
    Moment first = Moment::read(default_clock); // when the clock was registered
    Moment last = first;
    std::set<CUpti_ActivityKind> kinds;
    std::uint32_t launches = 0;
    std::deque<Bytes> calls; // complete records, as is the next
    std::deque<Bytes> kernels;
    std::unordered_map<std::uint32_t, Kernel> launched; // by number; records of these are not complete yet
    std::set<std::string> names;
    const std::string mode = std::getenv("FAKE_CUPTI_MODE") != nullptr ? std::getenv("FAKE_CUPTI_MODE") : "";
    // Used by the worker.
    std::condition_variable changed;
    std::uint64_t flushes_wanted = 0;
    std::uint64_t flushes_done = 0;
    bool forced = false;

    // Converts by the straight line through both moments, as CUPTI does.
    [[nodiscard]] std::uint64_t by_clock(std::int64_t monotonic) const {
        const auto ticks = static_cast<double>(last.clock - first.clock);
        const double rate = ticks / static_cast<double>(last.monotonic - first.monotonic);
        return last.clock -
               static_cast<std::uint64_t>(std::llround(rate * static_cast<double>(last.monotonic - monotonic)));
    }
};

State& state() {
    static State* const instance = new State; // never freed: threads still call during exit
    return *instance;
}

// Acts as the tear-down of a library.
struct AtExit {
    const pid_t process = getpid();
    ~AtExit() {
        if (process != getpid()) return; // in the child of a fork its mutex may never become free
        State& s = state();
        const std::scoped_lock hold{s.mutex};
        s.ended = true;
        for (const std::string& name : s.names) std::fill_n(const_cast<char*>(name.data()), name.size(), '?');
    }
} at_exit;

thread_local std::unordered_map<int, std::vector<std::uint64_t>> external_ids; // by kind

// Must be called with `mutex` held, as all functions from here on. Returns nothing if the kernel is not to be reported.
Bytes kernel_record(State& s, std::uint32_t number, const Kernel& kernel, bool ended) {
    constexpr std::uint32_t every = 10;
    if (s.mode == "lose" && number % every == 0) return {};
    CUpti_ActivityKernel9 record;
    std::memset(&record, 0, sizeof record);
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.start = s.by_clock(kernel.start_ns);
    record.end = ended ? s.by_clock(kernel.stop_ns) : 0;
    if (s.mode == "impossible" && number % every == 0) record.start -= 1'000'000'000'000; // long before its launch
    if (s.mode == "early" && number % every == 0) {
        constexpr std::uint64_t ticks = 100'000;
        record.end -= record.start - (kernel.called - ticks);
        record.start = kernel.called - ticks;
    }
    record.deviceId = kernel.device;
    record.streamId = kernel.stream;
    record.correlationId = number;
    record.name = s.names.insert(kernel.name).first->c_str();
    return bytes_of(record);
}

void deliver(State& s, std::deque<Bytes>& records) {
    while (!records.empty()) {
        std::uint8_t* buffer = nullptr;
        std::size_t size = 0;
        std::size_t most = 0;
        s.request(&buffer, &size, &most);
        if (buffer == nullptr) return records.clear(); // the records are dropped
        std::size_t filled = 0;
        while (!records.empty() && filled + records.front().size() <= size) {
            std::memcpy(buffer + filled, records.front().data(), records.front().size());
            filled += records.front().size();
            records.pop_front();
        }
        s.complete(nullptr, 0, buffer, size, filled);
    }
}

void flush(State& s) {
    s.last = Moment::read(s.clock);
    std::erase_if(s.launched, [&](const auto& entry) {
        const auto& [number, kernel] = entry;
        const bool ended = kernel.stop_ns != 0 && kernel.stop_ns <= monotonic_ns();
        if (!ended && !s.forced) return false;
        if (Bytes record = kernel_record(s, number, kernel, ended); !record.empty())
            s.kernels.push_back(std::move(record));
        return true;
    });
    deliver(s, s.kernels);
    deliver(s, s.calls);
    s.forced = false;
}

void work(State& s) {
    std::unique_lock hold{s.mutex};
    for (;;) {
        s.changed.wait(hold, [&] { return s.flushes_done < s.flushes_wanted; });
        flush(s);
        s.flushes_done = s.flushes_wanted;
        s.changed.notify_all();
    }
}

void ask_worker(State& s) {
    ++s.flushes_wanted;
    s.changed.notify_all();
}

} // namespace

#pragma GCC visibility push(default)
extern "C" {

std::uint32_t fake_cuda_launch(const char* kernel, std::uint32_t device, std::uint32_t stream) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    const std::uint32_t number = ++s.launches;
    const std::uint64_t called = s.clock();
    if (s.kinds.contains(CUPTI_ACTIVITY_KIND_DRIVER)) {
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
        call.start = called;
        call.end = s.clock();
        s.calls.push_back(bytes_of(call));
    }
    if (s.kinds.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))
        s.launched[number] = {kernel, called, device, stream, 0, 0};
    return number;
}

void fake_cuda_ran(std::uint32_t launch, std::int64_t start_ns, std::int64_t stop_ns) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    const auto kernel = s.launched.find(launch);
    if (kernel == s.launched.end()) return;
    kernel->second.start_ns = start_ns;
    kernel->second.stop_ns = stop_ns;
    constexpr std::size_t a_buffer = 4'000; // records; CUPTI delivers full buffers by itself
    if (s.calls.size() >= a_buffer && s.mode != "hold") ask_worker(s);
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
    if (clock == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    s.clock = clock;
    s.first = Moment::read(clock);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
    State& s = state();
    const std::scoped_lock hold{s.mutex};
    if (s.request == nullptr) std::thread{[&s] { work(s); }}.detach();
    s.request = request;
    s.complete = complete;
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
    std::unique_lock hold{s.mutex};
    if (s.ended) return CUPTI_ERROR_NOT_INITIALIZED;
    if (s.request == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
    if (flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) s.forced = true;
    ask_worker(s);
    const std::uint64_t mine = s.flushes_wanted;
    s.changed.wait(hold, [&] { return s.flushes_done >= mine; });
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t filled, CUpti_Activity** record) {
    {
        State& s = state();
        const std::scoped_lock hold{s.mutex};
        if (s.ended) return CUPTI_ERROR_NOT_INITIALIZED;
    }
    std::uint8_t* next = buffer;
    if (*record != nullptr) next = reinterpret_cast<std::uint8_t*>(*record) + size_of((*record)->kind);
    if (next >= buffer + filled) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
}

} // extern "C"
#pragma GCC visibility pop
