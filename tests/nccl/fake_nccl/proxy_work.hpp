// What a launch hands to the progress thread: one kernel on one channel, or one side of a network transfer on a
// channel.
#pragma once

#include "comm_state.hpp"

#include <array>

namespace tactus::fake_nccl {

struct ProxyWork {
    enum class Kind : std::uint8_t { kernel, network, coll_net };

    Kind kind = Kind::kernel;
    bool is_send = false, start_lost = false;
    std::uint8_t channel = 0;
    int mask = 0; // as it was at the call of the API
    int pid = 0, peer = 0, rank = 0, steps = 0;
    std::size_t chunk_bytes = 0;
    NetEvents net_events = NetEvents::none;
    CommState* comm = nullptr;
    void* context = nullptr; // with PXN those of another process, as is the parent
    void* parent = nullptr;
    TruthRecord* truth = nullptr;
    std::int64_t start_ns = 0, stop_ns = 0, poll_delay_ns = 0;
    std::uint64_t number = 0; // the GPU's work counter on the channel
};

// The cells of one proxy operation. NCCL takes them from a pool, and does not clear them.
struct ProxyCells {
    static constexpr int steps_in_flight = 8;

    struct Step {
        Cell step, transfer;
        std::atomic<bool> transferred{true}; // release: the helper thread; acquire: the progress thread
    };

    Cell kernel, op;
    std::array<Step, steps_in_flight> steps;
};

} // namespace tactus::fake_nccl
