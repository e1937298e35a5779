// How communicators are made and end, and graphs.
#include "communicator.hpp"

#include <algorithm>
#include <chrono>
#include <unistd.h>

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;

constexpr int internal_error = 3;

std::uint64_t mixed(std::uint64_t value) { // splitmix64
    value += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

} // namespace

Communicator::Communicator(Library& library, const CommunicatorOptions& options)
    : Communicator(library, options, nullptr) {}

Communicator::Communicator(Library& library, const CommunicatorOptions& options, Progress* shared)
    : library_(library), state_(library.add_comm(options)) {
    init_plugin();
    if (!options.blocking) state_.launcher = std::make_unique<Worker>();
    if (options.ranks == 1) return; // nothing has to be done for a single rank
    if (shared != nullptr) shared->share();
    state_.progress = shared != nullptr ? shared : &library.add_progress(state_);
}

void Communicator::init_plugin() {
    const Plugin* plugin = library_.loader.acquire();
    if (plugin == nullptr) return;
    plugin_references_ = 1;
    int result = library_.callbacks.init(*plugin, &state_.context, library_.mask_address(), state_.identity);
    if (state_.options.init_fails) {
        state_.context = nullptr;
        result = internal_error;
    }
    if (result != 0) init_failed();
}

// Each release of NCCL handles this in its own way: see the table in the specification.
void Communicator::init_failed() {
    counts().init_errors.add();
    if (library_.options.core == Core::v2_26) library_.loader.disable();
    if (library_.options.core == Core::v2_30) library_.loader.release(); // and once more when the communicator is freed
}

void Communicator::synchronize() {
    if (state_.launcher) state_.launcher->wait();
    std::int64_t free_ns = 0;
    {
        const std::scoped_lock lock{state_.launch_mutex};
        free_ns = state_.stream_free_ns;
    }
    for (std::int64_t now_ns = host_now_ns(); now_ns < free_ns; now_ns = host_now_ns())
        std::this_thread::sleep_for(std::chrono::nanoseconds{free_ns - now_ns});
}

void Communicator::finalize() {
    synchronize();
    if (state_.progress != nullptr) state_.progress->drain(state_);
}

void Communicator::settle() {
    finalize();
    if (state_.progress != nullptr) state_.progress->wait_until_asleep();
}

void Communicator::destroy() {
    finalize();
    free();
}

void Communicator::abort() { free(); }

void Communicator::free() {
    state_.launcher.reset();
    if (state_.progress != nullptr && state_.progress->unshare()) state_.progress->stop();
    library_.callbacks.finalize(state_.context);
    state_.finalized.store(true, std::memory_order_release);
    std::fill(state_.name.begin(), state_.name.end(), '#'); // a plugin that kept the pointer sees this
    if (plugin_references_ != 0) library_.loader.release();
    plugin_references_ = 0;
}

std::unique_ptr<Communicator> Communicator::split(const SplitOptions& wanted) {
    ++splits_;
    if (wanted.color < 0) return nullptr;
    CommunicatorOptions options = state_.options;
    options.id = mixed(options.id ^ mixed(splits_ * 1000 + static_cast<std::uint64_t>(wanted.color)));
    options.rank = wanted.rank;
    options.ranks = wanted.ranks;
    options.name = wanted.name;
    options.init_fails = false;
    Progress* const shared = wanted.share ? state_.progress : nullptr;
    return std::unique_ptr<Communicator>{new Communicator{library_, options, shared}};
}

void Communicator::foreign_proxy_op(const ForeignOp& foreign) {
    const std::int64_t now_ns = host_now_ns();
    state_.progress->post({ProxyWork{.kind = ProxyWork::Kind::network,
                                     .is_send = foreign.is_send,
                                     .channel = static_cast<std::uint8_t>(foreign.channel),
                                     .mask = library_.mask(),
                                     .pid = foreign.pid,
                                     .peer = foreign.peer,
                                     .rank = state_.identity.rank,
                                     .steps = foreign.steps,
                                     .chunk_bytes = 4096,
                                     .net_events = state_.options.net_events,
                                     .comm = &state_,
                                     .context = foreign.context,
                                     .parent = foreign.parent,
                                     .start_ns = now_ns,
                                     .stop_ns = now_ns}});
}

void Communicator::unknown_event() {
    if (!library_.callbacks.active()) return;
    for (const std::uint64_t type : {event::unknown, event::proxy_ctrl}) {
        Cell cell;
        library_.callbacks.start(state_.context, cell, descriptor_of(type, nullptr), state_.identity);
        library_.callbacks.state(cell, abi::state::unknown, {.value = 1});
        library_.callbacks.stop(cell, type);
    }
}

std::vector<std::unique_ptr<Communicator>> init_all(Library& library, const std::vector<CommunicatorOptions>& wanted) {
    std::vector<std::unique_ptr<Communicator>> made(wanted.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        threads.emplace_back([&, i] { made[i] = std::make_unique<Communicator>(library, wanted[i]); });
    for (std::thread& thread : threads) thread.join();
    return made;
}

void destroy_all(const std::vector<Communicator*>& communicators) {
    std::vector<std::thread> threads;
    for (Communicator* communicator : communicators) threads.emplace_back([communicator] { communicator->destroy(); });
    for (std::thread& thread : threads) thread.join();
}

Graph::Graph(Library& library, const std::function<void()>& calls) : library_(library) {
    capture_into(&plans_);
    calls();
    capture_into(nullptr);
}

void Graph::replay() {
    library_.host_callback_thread().ask([this] {
        for (Plan& plan : plans_) issue(library_, plan, host_now_ns());
    });
}

void Graph::wait() { library_.host_callback_thread().wait(); }

} // namespace tactus::fake_nccl
