// What a user of the fake NCCL chooses: per communicator and per operation.
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

// Host CLOCK_MONOTONIC. Channel 0 starts first, the last channel starts and stops spread_ns later.
struct KernelTimes {
    std::int64_t start_ns = 0, stop_ns = 0;
    std::int64_t spread_ns = 0;
};

// Whether net plugins tell of their transfers, and from where: InfiniBand's from the progress thread, sockets' from
// helper threads. irregular: repeated starts, updates, stops of NULL and of what is stopped already.
enum class NetEvents : std::uint8_t { none, ib, socket, irregular };

// How long kernels take if the operation does not say.
struct KernelModel {
    std::int64_t least_delay_ns = 2'000, most_delay_ns = 10'000;
    std::int64_t least_ns = 5'000, most_ns = 30'000;
    double bytes_per_ns = 100;
};

struct CommunicatorOptions {
    std::uint64_t id = 1;
    std::optional<std::string> name;
    int nodes = 1, ranks = 2, rank = 0;
    bool network = false; // ProxyOps and ProxySteps
    bool blocking = true;
    bool paced = true;       // false: kernels are done as soon as they are launched
    bool init_fails = false; // after the plugin's init succeeded: the context stays NULL
    int channels = 2;        // of a collective; 1 of a send or receive
    int steps = 4;           // of a ProxyOp
    NetEvents net_events = NetEvents::none;
    int ring_entries = 0; // stamps that the GPU keeps per channel, 64 in NCCL; 0: any number, nothing is overwritten
    std::int64_t poll_delay_ns = 0; // the progress thread sees the GPU this much later
    KernelModel model{};
    GpuClock gpu{};
};

// How one operation runs.
struct Operation {
    std::optional<KernelTimes> kernel{}; // of operations in one group the first that has it
    int channels = 0;                    // 0: the communicator's
    int first_channel = -1;              // -1: 0, for send and receive the peer modulo 8
    bool in_place = false;
    bool symmetric = false;         // a symmetric-memory kernel: seen at API level only
    bool copy_engine = false;       // from NCCL 2.29 on: CeColl and its children instead of a kernel
    bool coll_net = false;          // ProxyOps that are never stopped
    bool start_lost = false;        // the progress thread sees the kernel only when it is over
    std::int64_t poll_delay_ns = 0; // on top of the communicator's
    const char* algo = "RING";
    const char* proto = "LL";
    void* stream = nullptr;
};

} // namespace tactus::fake_nccl
