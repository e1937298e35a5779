// Each function has a switch by version.
#include "plugin.hpp"

#include "descriptors.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;
namespace state_of = abi::state;

void log_line(int level, unsigned long, const char* file, int line, const char* format, ...) {
    static const bool wanted = std::getenv("FAKE_NCCL_DEBUG") != nullptr;
    if (!wanted) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "fake_nccl: plugin, level %d, %s:%d: %s\n", level, file, line, text);
}

constexpr bool is_ce_state(int state) { return state >= 25 && state <= 30; }
constexpr bool is_group_state(int state) {
    return state == state_of::group_start_stop || state == state_of::group_end_start;
}

void clear_ce(int* mask) {
    // Atomic, because a plugin may write it at the same time.
    __atomic_fetch_and(mask, ~static_cast<int>(event::all_ce), __ATOMIC_RELAXED);
}

} // namespace

int Plugin::init(void** context, int* mask, const Identity& of) const {
    switch (version_) {
    case 3:
        return as<abi::PluginV3>().init(context, mask);
    case 4:
        return as<abi::PluginV4>().init(context, mask, of.name, of.id, of.nodes, of.ranks, of.rank, log_line);
    case 5: {
        const int result =
            as<abi::PluginV5>().init(context, of.id, mask, of.name, of.nodes, of.ranks, of.rank, log_line);
        if (!native()) clear_ce(mask);
        return result;
    }
    default:
        return as<abi::PluginV6>().init(context, of.id, mask, of.name, of.nodes, of.ranks, of.rank, log_line);
    }
}

bool Plugin::start(void* context, void** handle, const abi::DescriptorV6& event, const Identity& identity) const {
    const std::uint64_t ours = static_cast<std::uint64_t>(version_ <= 4 ? abi::all_events_v4 : abi::all_events_v5);
    if (version_ < 6 && (event.type & ours) == 0 && event.type != event::unknown) {
        if (version_ != 4) *handle = nullptr; // the adapter of version 4 leaves it as it is
        return false;
    }
    switch (version_) {
    case 3: {
        if (event.type == event::unknown) return false; // it does not fit into the byte
        abi::DescriptorV3 descriptor = descriptor_v3(event, native() ? &identity : nullptr);
        as<abi::PluginV3>().start(context, handle, &descriptor);
        return true;
    }
    case 4: {
        if (event.type == event::unknown) return false;
        abi::DescriptorV4 descriptor = descriptor_v4(event, native());
        as<abi::PluginV4>().start(context, handle, &descriptor);
        return true;
    }
    case 5: {
        abi::DescriptorV5 descriptor = descriptor_v5(event, native());
        as<abi::PluginV5>().start(context, handle, &descriptor);
        return true;
    }
    default: {
        abi::DescriptorV6 descriptor = event;
        as<abi::PluginV6>().start(context, handle, &descriptor);
        return true;
    }
    }
}

bool Plugin::has_state(int state) const {
    if (version_ == 6) return true;
    if (is_ce_state(state)) return false;
    if (version_ == 5) return true;
    if (version_ == 4) return !is_group_state(state);
    if (core_ == Core::v2_26 && state <= state_of::op_recv_done) return true;
    return (state >= state_of::send_gpu_wait && state <= state_of::ctrl_append_end);
}

bool Plugin::state(void* handle, int state, const StateValue& value) const {
    if (!has_state(state)) return false;
    if (version_ == 3) {
        abi::StateArgsV3 args{};
        const bool control = state >= state_of::ctrl_idle && state <= state_of::ctrl_append_end;
        if (control)
            args.appended = static_cast<int>(value.value);
        else if (native())
            args.proxy_op = {.transferred = value.value, .steps = value.steps};
        as<abi::PluginV3>().state(handle, state, &args);
        return true;
    }
    abi::StateArgs args;
    std::memset(&args, garbage_byte, sizeof args);
    if (state >= state_of::ctrl_idle && state <= state_of::ctrl_append_end)
        args.appended = static_cast<int>(value.value);
    else if (!is_group_state(state))
        args.timer = value.value;
    abi::StateArgs* const given = is_group_state(state) && native() ? nullptr : &args;
    if (version_ == 4)
        as<abi::PluginV4>().state(handle, state, given);
    else if (version_ == 5)
        as<abi::PluginV5>().state(handle, state, given);
    else
        as<abi::PluginV6>().state(handle, state, given);
    return true;
}

// Stop and finalize are at the same place in all versions.
void Plugin::stop(void* handle) const { as<abi::PluginV6>().stop(handle); }

int Plugin::finalize(void* context) const { return as<abi::PluginV6>().finalize(context); }

} // namespace tactus::fake_nccl
