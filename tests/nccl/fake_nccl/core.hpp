// The releases of NCCL that the host can behave as, and what their event masks imply.
#pragma once

#include "abi.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::fake_nccl {

enum class Core : int { v2_26 = 26, v2_27 = 27, v2_28 = 28, v2_29 = 29, v2_30 = 30 };

[[nodiscard]] constexpr std::optional<Core> core_of(std::string_view name) {
    if (name == "2.26") return Core::v2_26;
    if (name == "2.27") return Core::v2_27;
    if (name == "2.28") return Core::v2_28;
    if (name == "2.29") return Core::v2_29;
    if (name == "2.30") return Core::v2_30;
    return std::nullopt;
}

// The newest plugin version that this release knows.
[[nodiscard]] constexpr int native_version(Core core) {
    switch (core) {
    case Core::v2_26:
        return 3;
    case Core::v2_27:
        return 4;
    case Core::v2_28:
        return 5;
    case Core::v2_29:
    case Core::v2_30:
        return 6;
    }
    return 0;
}

[[nodiscard]] constexpr std::uint64_t events_of(Core core) {
    switch (native_version(core)) {
    case 3:
    case 4:
        return abi::all_events_v4;
    case 5:
        return abi::all_events_v5;
    default:
        return abi::all_events_v6;
    }
}

// The bits of the mask, any of which makes NCCL emit events of this type. The type's own bit is among them.
[[nodiscard]] constexpr std::uint64_t implied_by(std::uint64_t type) {
    namespace event = abi::event;
    constexpr std::uint64_t proxy = event::proxy_op | event::proxy_step | event::net_plugin;
    constexpr std::uint64_t below_task = proxy | event::kernel_ch;
    switch (type) {
    case event::group_api:
        return static_cast<std::uint64_t>(abi::all_events_v6) & ~event::proxy_ctrl;
    case event::coll_api:
        return event::coll_api | event::coll | below_task | event::all_ce;
    case event::p2p_api:
        return event::p2p_api | event::p2p | below_task;
    case event::group:
        return event::group | event::coll | event::p2p | below_task;
    case event::coll:
        return event::coll | below_task;
    case event::p2p:
        return event::p2p | below_task;
    case event::proxy_op:
        return proxy;
    case event::proxy_step:
        return event::proxy_step | event::net_plugin;
    case event::ce_coll:
        return event::all_ce;
    default:
        return type;
    }
}

[[nodiscard]] constexpr bool emits(std::uint64_t type, int mask) {
    return (implied_by(type) & static_cast<std::uint64_t>(static_cast<std::uint32_t>(mask))) != 0;
}

} // namespace tactus::fake_nccl
