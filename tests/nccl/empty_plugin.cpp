// A profiler plugin that exports versions 3 to 6 and does nothing. It is the baseline of benchmarks, and a plugin whose
// handles are all NULL. EMPTY_PLUGIN_MASK sets the events that it asks for (default 4095). With EMPTY_PLUGIN_HANDLES it
// gives handles, so that NCCL calls its stops and states, too. With EMPTY_PLUGIN_FAILS its init fails for every second
// communicator, and it asks for all events of its version.
#include "tests/nccl/fake_nccl/abi.hpp"

#include <atomic>
#include <cstdlib>

namespace abi = tactus::fake_nccl::abi;

namespace {

constexpr int usual_mask = 4095;
constexpr int internal_error = 3;

int dummy_context = 0, dummy_handle = 0;
void* const handle_given = std::getenv("EMPTY_PLUGIN_HANDLES") != nullptr ? &dummy_handle : nullptr;
const bool fails = std::getenv("EMPTY_PLUGIN_FAILS") != nullptr;
std::atomic<int> inits{0};

int begin(void** context, int* mask, int all_events) {
    if (fails && inits.fetch_add(1, std::memory_order_relaxed) % 2 == 1) return internal_error;
    *context = &dummy_context;
    const char* const wanted = std::getenv("EMPTY_PLUGIN_MASK");
    const int usual = fails ? all_events : usual_mask;
    __atomic_store_n(mask, wanted != nullptr ? std::atoi(wanted) : usual, __ATOMIC_RELAXED);
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
    *handle = handle_given;
    return 0;
}

int stop(void*) { return 0; }

template <typename Args> int state(void*, int, Args*) { return 0; }

int finalize(void*) { return 0; }

} // namespace

extern "C" {
[[gnu::visibility("default")]] abi::PluginV3 ncclProfiler_v3{"empty", init_v3, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV4 ncclProfiler_v4{"empty", init_v4, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV5 ncclProfiler_v5{"empty", init_v5, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV6 ncclProfiler_v6{"empty", init_v6, start, stop, state, finalize};
}
