// The binary interface between NCCL and a profiler plugin, versions 3 to 6. It was written from tables of offsets, not
// from NCCL's headers; abi_layout.cpp asserts the offsets. The fake host and the test plugins share it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::fake_nccl::abi {

// The bits of the event mask. The type of a descriptor is one of them.
namespace event {
inline constexpr std::uint64_t group = 1U << 0;
inline constexpr std::uint64_t coll = 1U << 1;
inline constexpr std::uint64_t p2p = 1U << 2;
inline constexpr std::uint64_t proxy_op = 1U << 3;
inline constexpr std::uint64_t proxy_step = 1U << 4;
inline constexpr std::uint64_t proxy_ctrl = 1U << 5;
inline constexpr std::uint64_t kernel_ch = 1U << 6;
inline constexpr std::uint64_t net_plugin = 1U << 7;
inline constexpr std::uint64_t group_api = 1U << 8;
inline constexpr std::uint64_t coll_api = 1U << 9;
inline constexpr std::uint64_t p2p_api = 1U << 10;
inline constexpr std::uint64_t kernel_launch = 1U << 11;
inline constexpr std::uint64_t ce_coll = 1U << 12;
inline constexpr std::uint64_t ce_sync = 1U << 13;
inline constexpr std::uint64_t ce_batch = 1U << 14;
inline constexpr std::uint64_t unknown = 1U << 20; // in no version: what a later NCCL might send
inline constexpr std::uint64_t all_ce = ce_coll | ce_sync | ce_batch;
} // namespace event

inline constexpr int all_events_v3 = 255, all_events_v4 = 255, all_events_v5 = 4095, all_events_v6 = 32767;

namespace state {
inline constexpr int op_send_posted = 0, op_send_fifo_wait = 1, op_send_transmitted = 2, op_send_done = 3;
inline constexpr int op_recv_posted = 4, op_recv_received = 5, op_recv_transmitted = 6, op_recv_done = 7;
inline constexpr int send_gpu_wait = 8, send_wait = 9, recv_wait = 10, recv_flush_wait = 11, recv_gpu_wait = 12;
inline constexpr int ctrl_idle = 13, ctrl_active = 14, ctrl_sleep = 15, ctrl_wakeup = 16;
inline constexpr int ctrl_append = 17, ctrl_append_end = 18, op_in_progress = 19, send_peer_wait = 20;
inline constexpr int net_update = 21, kernel_ch_stop = 22, group_start_stop = 23, group_end_start = 24;
inline constexpr int unknown = 99;
} // namespace state

using Logger = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);

struct CollV3 {
    const char* name;
    std::uint64_t comm_hash, sequence;
    const char* func;
    const void* send_buffer;
    void* recv_buffer;
    std::size_t count;
    int root;
    const char* datatype;
    std::uint8_t channels, warps;
    const char* algo;
    const char* proto;
};

struct CollV4 {
    std::uint64_t sequence;
    const char* func;
    const void* send_buffer;
    void* recv_buffer;
    std::size_t count;
    int root;
    const char* datatype;
    std::uint8_t channels, warps;
    const char* algo;
    const char* proto;
};

struct CollV5 {
    std::uint64_t sequence;
    const char* func;
    const void* send_buffer;
    void* recv_buffer;
    std::size_t count;
    int root;
    const char* datatype;
    std::uint8_t channels, warps;
    const char* algo;
    const char* proto;
    void* parent_group;
};

struct P2pV3 {
    const char* name;
    std::uint64_t comm_hash;
    const char* func;
    void* buffer;
    const char* datatype;
    std::size_t count;
    int peer;
};

struct P2pV4 {
    const char* func;
    void* buffer;
    const char* datatype;
    std::size_t count;
    int peer;
    std::uint8_t channels;
};

struct P2pV5 {
    const char* func;
    void* buffer;
    const char* datatype;
    std::size_t count;
    int peer;
    std::uint8_t channels;
    void* parent_group;
};

struct ProxyOp {
    int pid;
    std::uint8_t channel;
    int peer, steps, chunk_bytes, is_send;
};

struct ProxyStep {
    int step;
};

struct KernelChV3 {
    std::uint8_t channel;
};

struct KernelCh {
    std::uint8_t channel;
    std::uint64_t timer;
};

struct NetPlugin {
    std::int64_t id;
    void* data;
};

struct GroupApi {
    bool captured;
    int depth;
};

struct CollApi {
    const char* func;
    std::size_t count;
    const char* datatype;
    int root;
    void* stream;
    bool captured;
};

struct P2pApi {
    const char* func;
    std::size_t count;
    const char* datatype;
    void* stream;
    bool captured;
};

struct KernelLaunch {
    void* stream;
};

struct CeColl {
    std::uint64_t sequence;
    const char* func;
    const void* send_buffer;
    void* recv_buffer;
    std::size_t count;
    int root;
    const char* datatype;
    const char* sync_strategy;
    bool intra_batch_sync;
    std::uint32_t batch_size, batches, ce_sequence;
    void* stream;
};

struct CeSync {
    bool complete;
    int ranks;
};

struct CeBatch {
    int operations;
    std::size_t bytes;
    bool intra_sync;
};

struct DescriptorV3 {
    std::uint8_t type; // seven bytes of garbage follow
    void* parent;
    int rank;
    union {
        CollV3 coll;
        P2pV3 p2p;
        ProxyOp proxy_op;
        ProxyStep proxy_step;
        KernelChV3 kernel_ch;
        NetPlugin net_plugin;
    };
};

struct DescriptorV4 {
    std::uint8_t type; // seven bytes of garbage follow
    void* parent;
    int rank;
    union {
        CollV4 coll;
        P2pV4 p2p;
        ProxyOp proxy_op;
        ProxyStep proxy_step;
        KernelCh kernel_ch;
        NetPlugin net_plugin;
    };
};

struct DescriptorV5 {
    std::uint64_t type;
    void* parent;
    int rank;
    union {
        GroupApi group_api;
        CollApi coll_api;
        P2pApi p2p_api;
        KernelLaunch kernel_launch;
        CollV5 coll;
        P2pV5 p2p;
        ProxyOp proxy_op;
        ProxyStep proxy_step;
        KernelCh kernel_ch;
        NetPlugin net_plugin;
    };
};

struct DescriptorV6 {
    std::uint64_t type;
    void* parent;
    int rank;
    union {
        GroupApi group_api;
        CollApi coll_api;
        P2pApi p2p_api;
        KernelLaunch kernel_launch;
        CollV5 coll;
        P2pV5 p2p;
        ProxyOp proxy_op;
        ProxyStep proxy_step;
        KernelCh kernel_ch;
        NetPlugin net_plugin;
        CeColl ce_coll;
        CeSync ce_sync;
        CeBatch ce_batch;
    };
};

union StateArgsV3 {
    struct {
        std::size_t transferred;
        int steps;
    } proxy_op;
    int appended;
};

union StateArgs { // of versions 4, 5 and 6
    std::size_t transferred;
    int appended;
    void* net_data;
    std::uint64_t timer;
};

// What a plugin exports as ncclProfiler_v3 to _v6. After init, the functions differ only in the descriptor.
template <typename Init, typename Descriptor, typename Args> struct PluginOf {
    const char* name;
    Init init;
    int (*start)(void* context, void** handle, Descriptor* descriptor);
    int (*stop)(void* handle);
    int (*state)(void* handle, int state, Args* args);
    int (*finalize)(void* context);
};

using InitV3 = int (*)(void** context, int* mask);
using InitV4 = int (*)(void** context, int* mask, const char* name, std::uint64_t hash, int nodes, int ranks, int rank,
                       Logger logger);
using InitV5 = int (*)(void** context, std::uint64_t id, int* mask, const char* name, int nodes, int ranks, int rank,
                       Logger logger);

using PluginV3 = PluginOf<InitV3, DescriptorV3, StateArgsV3>;
using PluginV4 = PluginOf<InitV4, DescriptorV4, StateArgs>;
using PluginV5 = PluginOf<InitV5, DescriptorV5, StateArgs>;
using PluginV6 = PluginOf<InitV5, DescriptorV6, StateArgs>;

// What netPlugin.data points to: the queue pair event of InfiniBand, or the event of a socket, both version 1.
struct IbEvent {
    std::uint8_t type;
    alignas(8) int device;
    std::uint64_t work_request;
    int opcode, queue_pair;
    std::size_t bytes;
};

struct SocketEvent {
    std::uint8_t type;
    alignas(8) int descriptor;
    int operation;
    std::size_t bytes;
};

inline constexpr std::int64_t ib_event_v1 = (1 << 16) | 1;
inline constexpr std::int64_t socket_event_v1 = (2 << 16) | 1;

} // namespace tactus::fake_nccl::abi
