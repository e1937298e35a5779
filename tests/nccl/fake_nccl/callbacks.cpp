#include "callbacks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace tactus::fake_nccl {
namespace {

std::int64_t thread_cpu_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

std::int64_t most_ns_wanted() {
    const char* wanted = std::getenv("FAKE_NCCL_MOST_US");
    return wanted != nullptr ? static_cast<std::int64_t>(std::strtod(wanted, nullptr) * 1000) : 0;
}

} // namespace

Callbacks::Callbacks(const Loader& loader) : loader_(loader), most_ns_(most_ns_wanted()) {}

std::int64_t Callbacks::watch_begins() const { return most_ns_ == 0 ? 0 : thread_cpu_ns(); }

void Callbacks::watch_ends(std::int64_t began_ns, const char* what, std::uint64_t which) const {
    if (most_ns_ == 0) [[likely]]
        return;
    const std::int64_t took_ns = thread_cpu_ns() - began_ns;
    if (took_ns <= most_ns_) return;
    std::fprintf(stderr, "fake_nccl: the plugin's %s of %llu took %.1f us of CPU time, at most %.1f are allowed\n",
                 what, static_cast<unsigned long long>(which), static_cast<double>(took_ns) / 1e3,
                 static_cast<double>(most_ns_) / 1e3);
    std::abort();
}

int Callbacks::init(const Plugin& plugin, void** context, int* mask, const Identity& identity) const {
    counts().init.add();
    return plugin.init(context, mask, identity);
}

void Callbacks::finalize(void* context) const {
    const Plugin* plugin = loader_.current();
    if (plugin == nullptr || context == nullptr) return;
    counts().finalize.add();
    plugin->finalize(context);
}

void Callbacks::start(void* context, Cell& cell, const abi::DescriptorV6& event, const Identity& identity) const {
    const Plugin* plugin = loader_.current();
    if (plugin == nullptr) return;
    const std::int64_t began_ns = watch_begins();
    const bool called = plugin->start(context, &cell.handle, event, identity);
    watch_ends(began_ns, "start", event.type);
    if (!called) return counts().dropped.add();
    cell.open = true;
    counts().start[bit_of(event.type)].add();
    if (context == nullptr) counts().null_context.add();
}

void Callbacks::state(const Cell& cell, int state, const StateValue& value, OnNull on_null) const {
    const Plugin* plugin = loader_.current();
    if (plugin == nullptr || (cell.handle == nullptr && on_null == OnNull::skip)) return;
    const std::int64_t began_ns = watch_begins();
    const bool called = plugin->state(cell.handle, state, value);
    watch_ends(began_ns, "state", static_cast<std::uint64_t>(state));
    if (!called) return counts().dropped.add();
    counts().state[std::min(static_cast<std::size_t>(state), counted_states - 1)].add();
    if (cell.handle == nullptr)
        counts().null_handle.add();
    else if (!cell.open)
        counts().invalid.add();
}

void Callbacks::stop(Cell& cell, std::uint64_t type, OnNull on_null) const {
    const Plugin* plugin = loader_.current();
    if (plugin == nullptr || (cell.handle == nullptr && on_null == OnNull::skip)) return;
    const std::int64_t began_ns = watch_begins();
    plugin->stop(cell.handle);
    watch_ends(began_ns, "stop", type);
    counts().stop[bit_of(type)].add();
    if (cell.handle == nullptr)
        counts().null_handle.add();
    else if (!cell.open)
        counts().invalid.add();
    cell.open = false;
}

} // namespace tactus::fake_nccl
