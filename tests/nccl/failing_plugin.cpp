// A profiler plugin whose init fails for every second communicator, and which otherwise does nothing. Each start gives
// a handle, so that the host's calls on them are made.
#include "tests/nccl/fake_nccl/abi.hpp"

#include <atomic>

namespace abi = tactus::fake_nccl::abi;

namespace {

constexpr int internal_error = 3;

std::atomic<int> inits{0};
int dummy_context = 0, dummy_handle = 0;

int begin(void** context, int* mask, int events) {
    if (inits.fetch_add(1) % 2 == 1) return internal_error;
    *context = &dummy_context;
    __atomic_store_n(mask, events, __ATOMIC_RELAXED);
    return 0;
}

int init_v3(void** context, int* mask) { return begin(context, mask, abi::all_events_v3); }

int init_v4(void** context, int* mask, const char*, std::uint64_t, int, int, int, abi::Logger) {
    return begin(context, mask, abi::all_events_v4);
}

int init_v5(void** context, std::uint64_t, int* mask, const char*, int, int, int, abi::Logger) {
    return begin(context, mask, abi::all_events_v5);
}

int init_v6(void** context, std::uint64_t, int* mask, const char*, int, int, int, abi::Logger) {
    return begin(context, mask, abi::all_events_v6);
}

template <typename Descriptor> int start(void*, void** handle, Descriptor*) {
    *handle = &dummy_handle;
    return 0;
}

int stop(void*) { return 0; }

template <typename Args> int state(void*, int, Args*) { return 0; }

int finalize(void*) { return 0; }

} // namespace

extern "C" {
[[gnu::visibility("default")]] abi::PluginV3 ncclProfiler_v3{"failing", init_v3, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV4 ncclProfiler_v4{"failing", init_v4, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV5 ncclProfiler_v5{"failing", init_v5, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV6 ncclProfiler_v6{"failing", init_v6, start, stop, state, finalize};
}
