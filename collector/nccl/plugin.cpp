#include "collector/nccl/plugin.hpp"

#include "base/locked.hpp"
#include "base/options/options.hpp"
#include "base/options/time_windows.hpp"
#include "collector/nccl/collector_rows.hpp"
#include "collector/nccl/drainer.hpp"
#include "collector/nccl/kernels.hpp"
#include "collector/nccl/own_trace.hpp"
#include "writer/trace_directory.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <pthread.h>
#include <string>
#include <unistd.h>

namespace tactus::nccl {

constinit Plugin plugin;
constinit std::atomic<bool> takes_from{false};

namespace {

// What the first communicator makes and the end of the trace uses.
struct Recording {
    Options options = Options::read(environ);
    TimeWindows windows = TimeWindows::read(options);
    Anchor start{};
    OwnTrace* own = nullptr; // in a process without a collector
    TraceRows* rows = nullptr;
    Assembly* assembly = nullptr;
    Drainer* drainer = nullptr;
};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for making the recording
Recording* recording = nullptr;                   // written once with `lock`, never freed
constinit std::atomic<Recording*> made{nullptr};  // the same, even when recording could not begin
bool tried = false;                               // with `lock`
constinit std::atomic<unsigned> wanted{0};        // bits of nccl_events; 0: nothing is recorded

void tell(Logger log, int level, const std::string& line) {
    if (log != nullptr) log(level, log_profile, __FILE__, __LINE__, "tactus: %s", line.c_str());
}

bool in_window() { return recording->windows.at(monotonic_ns() - recording->start.monotonic_ns).on; }

void beat() {
    if (recording->own != nullptr) recording->own->beat();
}

std::string thread_name(unsigned ring) { return std::to_string(plugin.rings.all()[ring].owner()); }

// The child of a fork has its parent's memory, but neither its threads nor its file.
void at_fork_in_child() {
    takes_from = false;
    wanted = 0;
}

bool end_rows(std::int64_t patience_ns) {
    if (!takes_from.exchange(false)) return true;
    return recording->drainer->end(patience_ns);
}

// The trace of a process that ends without calling this is recovered from its lanes.
void end_at_exit() {
    constexpr std::int64_t patience_ns = 10'000'000'000;
    if (recording == nullptr || plugin.pid != static_cast<std::uint32_t>(getpid()) || !takes_from) return;
    if (end_rows(patience_ns) && recording->own != nullptr) recording->own->close();
}

[[gnu::destructor]] void end_own_trace() {
    if (recording != nullptr && recording->own != nullptr) end_at_exit();
}

using GetDevice = int (*)(int*);

// Finds CUDA's function for the current device, where the program or NCCL brought CUDA: the runtime's, else the
// driver's.
GetDevice find_get_device() {
    if (void* const runtime = dlsym(RTLD_DEFAULT, "cudaGetDevice")) return reinterpret_cast<GetDevice>(runtime);
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); // stays open: it must stay loaded
    return driver != nullptr ? reinterpret_cast<GetDevice>(dlsym(driver, "cuCtxGetDevice")) : nullptr;
}

// The device of the calling thread; -1: not known.
int current_device() {
    static const GetDevice get_device = find_get_device();
    int device = -1;
    return get_device != nullptr && get_device(&device) == 0 ? device : -1;
}

std::uint64_t events_wanted(unsigned chosen) {
    constexpr struct {
        unsigned group;
        std::uint64_t events;
    } groups[] = {
        {nccl_events::api, event::group_api | event::coll_api | event::p2p_api | event::kernel_launch},
        {nccl_events::coll, event::coll | event::group | event::copy_coll},
        {nccl_events::p2p, event::p2p | event::group},
        {nccl_events::kernel, event::kernel_channel | event::copy_sync | event::copy_batch},
        {nccl_events::proxy, event::proxy_op | event::proxy_step | event::proxy_control},
        {nccl_events::net, event::net_plugin},
    };
    std::uint64_t events = 0;
    for (const auto& row : groups)
        if ((chosen & row.group) != 0) events |= row.events;
    return events;
}

void begin_kernels(const Context& first, unsigned chosen, Logger log) {
    constexpr int least_version = 5;
    const Outcome begun =
        first.version < least_version      ? Error{.what = "NCCL before 2.28 does not say when it launches a kernel"}
        : (chosen & nccl_events::api) == 0 ? Error{.what = "VT_NCCL_EVENTS lacks api, which tells of launches"}
                                           : kernels::begin();
    if (!begun) return tell(log, log_warn, begun.error().line() + "; kernels are not recorded by CUPTI");
    recording->drainer->take_kernels();
    plugin.marks_launches = true;
    std::atexit(end_at_exit); // runs before those of CUDA and CUPTI, which are older
}

// Called with `lock` held.
void begin_recording(const Context& first, Logger log) {
    auto* const fresh = new (std::nothrow) Recording;
    if (fresh == nullptr) return tell(log, log_warn, "no memory; NCCL is not recorded");
    made = fresh;
    const LaneService* const collector = lane_service();
    if (collector != nullptr) {
        choose_timer(collector->timer);
        detail::reader = collector->reader;
        fresh->rows = new (std::nothrow) CollectorRows{*collector};
        plugin.is_recorded = collector->is_recorded;
    } else {
        choose_timer(fresh->options.timer());
        for (const std::string& complaint : fresh->options.complaints()) tell(log, log_warn, complaint);
        fresh->rows = fresh->own = new (std::nothrow) OwnTrace{fresh->options};
        const auto at_start = fresh->windows.at(0);
        if (!at_start.on || at_start.until != TimeWindows::never) plugin.is_recorded = in_window;
    }
    plugin.pid = static_cast<std::uint32_t>(getpid());
    plugin.contexts.make(random_number());
    if (fresh->rows == nullptr || !plugin.rings.make()) return tell(log, log_warn, "no memory; NCCL is not recorded");
    if (fresh->own != nullptr)
        if (auto opened = fresh->own->open(first.id); !opened)
            return tell(log, log_warn, opened.error().line() + "; NCCL is not recorded");
    Anchor (*const anchor)() = collector != nullptr ? collector->read_anchor : read_anchor;
    fresh->start = anchor();
    const unsigned chosen = fresh->options.nccl();
    fresh->assembly = new (std::nothrow) Assembly{*fresh->rows, plugin.contexts, events_wanted(chosen), thread_name};
    if (fresh->assembly != nullptr && fresh->assembly->ready())
        fresh->drainer = new (std::nothrow) Drainer{plugin.rings, *fresh->assembly, *fresh->rows, anchor, beat};
    if (fresh->drainer == nullptr) return tell(log, log_warn, "no memory; NCCL is not recorded");
    recording = fresh;
    pthread_atfork(nullptr, nullptr, at_fork_in_child);
    if (fresh->options.on(Option::nccl_cupti)) begin_kernels(first, chosen, log);
    if (!fresh->drainer->start()) tell(log, log_warn, "no thread to write with: only the first events are kept");
    wanted = chosen;
    takes_from = true;
    if (collector != nullptr) collector->at_end(end_rows);
    tell(log, log_info,
         fresh->own != nullptr ? "recording into " + fresh->own->path() : "recording into the trace of this rank");
}

} // namespace

void* begin_communicator(Context context, Logger log) {
    const Locked hold{lock};
    context.device = current_device();
    if (!tried) {
        tried = true;
        begin_recording(context, log);
    }
    return plugin.contexts.add(context);
}

int mask_of(int version) {
    return static_cast<int>(events_wanted(wanted.load(std::memory_order_relaxed)) & events_of(version));
}

} // namespace tactus::nccl
