// What a user of the fake NCCL can choose for a communicator and for an operation.
#pragma once

#include "gpu_clock.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tactus::fake_nccl {

enum class Datatype : std::uint8_t { int8, int32, uint32, int64, uint64, float16, float32, float64, bfloat16, uint8 };

[[nodiscard]] constexpr const char* name_of(Datatype type) {
    constexpr std::array names{"ncclInt8",    "ncclInt32",   "ncclUint32",  "ncclInt64",    "ncclUint64",
                               "ncclFloat16", "ncclFloat32", "ncclFloat64", "ncclBfloat16", "Unknown"}; // sic: uint8
    return names[static_cast<std::size_t>(type)];
}

[[nodiscard]] constexpr std::size_t size_of(Datatype type) {
    constexpr std::array<std::size_t, 10> sizes{1, 4, 4, 8, 8, 2, 4, 8, 2, 1};
    return sizes[static_cast<std::size_t>(type)];
}

// Times of the host's CLOCK_MONOTONIC. Channel 0 starts first; the last channel starts and stops spread_ns later.
struct KernelTimes {
    std::int64_t start_ns = 0, stop_ns = 0;
    std::int64_t spread_ns = 0;
};

// Whether net plugins report their transfers, and on which threads: InfiniBand's on the progress thread, sockets' on
// helper threads. irregular: with repeated starts, updates, and stops of NULL and of what is stopped already.
enum class NetEvents : std::uint8_t { none, ib, socket, irregular };

// How long kernels take if the operation does not specify it.
struct KernelModel {
    std::int64_t least_delay_ns = 2'000, most_delay_ns = 10'000;
    std::int64_t least_ns = 5'000, most_ns = 30'000;
    double bytes_per_ns = 100;
};

struct CommunicatorOptions {
    std::uint64_t id = 1;
    std::optional<std::string> name;
    int nodes = 1, ranks = 2, rank = 0;
    bool network = false; // whether there are ProxyOps and ProxySteps
    bool blocking = true;
    bool paced = true;       // false: kernels are finished as soon as they are launched
    bool init_fails = false; // after the plugin's init succeeded; the context stays NULL
    int channels = 2;        // of a collective; a send or receive has 1
    int steps = 4;           // of a ProxyOp
    NetEvents net_events = NetEvents::none;
    int ring_entries = 0;           // how many stamps the GPU keeps per channel, 64 in NCCL; 0: all of them
    std::int64_t poll_delay_ns = 0; // how much later the progress thread sees what the GPU did
    KernelModel model{};
    GpuClock gpu{};
};

// How an operation runs.
struct Operation {
    std::optional<KernelTimes> kernel{}; // in a group, the first operation that has it determines it
    int channels = 0;                    // 0: as many as the communicator has
    int first_channel = -1;              // -1: 0, or for send and receive the peer modulo 8
    bool in_place = false;
    bool symmetric = false;         // a symmetric-memory kernel, which is seen at API level only
    bool copy_engine = false;       // from NCCL 2.29 on: CeColl and its children instead of a kernel
    bool coll_net = false;          // its ProxyOps are never stopped
    bool start_lost = false;        // the progress thread sees the kernel only after it has ended
    std::int64_t poll_delay_ns = 0; // added to the communicator's
    const char* algo = "RING";
    const char* proto = "LL";
    void* stream = nullptr;
};

} // namespace tactus::fake_nccl
