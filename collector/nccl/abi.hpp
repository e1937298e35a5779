// NCCL's profiler interface, versions 3 to 6, as byte offsets, so NCCL's headers are not needed. The sources are
// ext-profiler/README.md and profiler_v3.h to profiler_v6.h of NCCL 2.26 to 2.30. No version's layout changed in any
// release that has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tactus::nccl {

// Bits of the mask, and values of a descriptor's type.
namespace event {
constexpr std::uint64_t group = 1;
constexpr std::uint64_t coll = 2;
constexpr std::uint64_t p2p = 4;
constexpr std::uint64_t proxy_op = 8;
constexpr std::uint64_t proxy_step = 16;
constexpr std::uint64_t proxy_control = 32;
constexpr std::uint64_t kernel_channel = 64;
constexpr std::uint64_t net_plugin = 128;
constexpr std::uint64_t group_api = 256; // from v5 on, as the next three
constexpr std::uint64_t coll_api = 512;
constexpr std::uint64_t p2p_api = 1024;
constexpr std::uint64_t kernel_launch = 2048;
constexpr std::uint64_t copy_coll = 4096; // from v6 on, as the next two
constexpr std::uint64_t copy_sync = 8192;
constexpr std::uint64_t copy_batch = 16384;
} // namespace event

constexpr std::uint64_t events_of(int version) { return version < 5 ? 0xff : version == 5 ? 0xfff : 0x7fff; }

namespace state {
constexpr int step_send_gpu_wait = 8;
constexpr int step_send_wait = 9;
constexpr int step_recv_wait = 10;
constexpr int step_recv_flush_wait = 11;
constexpr int step_recv_gpu_wait = 12;
constexpr int control_idle = 13;
constexpr int control_active = 14;
constexpr int control_sleep = 15;
constexpr int control_wakeup = 16;
constexpr int control_append = 17;
constexpr int control_append_end = 18;
constexpr int proxy_op_in_progress = 19;
constexpr int step_send_peer_wait = 20;
constexpr int net_update = 21;
constexpr int kernel_channel_stop = 22;
constexpr int group_start_stop = 23; // ncclGroupStart is over
constexpr int group_end_start = 24;  // ncclGroupEnd has begun
} // namespace state

// Reads the field at `offset` of a structure that NCCL passed.
template <class T> T at(const void* base, std::size_t offset) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(base) + offset, sizeof value);
    return value;
}

// Offsets of fields that every descriptor has. The type is its first field.
constexpr std::size_t parent_at = 8;
constexpr std::size_t rank_at = 16;

// Offsets of fields that are the same in all versions that have the kind of event.
namespace offset {
namespace group_api {
constexpr std::size_t captured = 24, depth = 28;
}
namespace call { // coll_api and p2p_api
constexpr std::size_t func = 24, count = 32, datatype = 40;
}
namespace coll_api {
constexpr std::size_t root = 48, captured = 64;
}
namespace p2p_api {
constexpr std::size_t captured = 56;
}
namespace proxy_op {
constexpr std::size_t pid = 24, channel = 28, peer = 32, steps = 36, chunk_bytes = 40, sends = 44;
}
namespace proxy_step {
constexpr std::size_t step = 24;
}
namespace kernel_channel {
constexpr std::size_t channel = 24, gpu_stamp = 32;
}
namespace net_plugin {
constexpr std::size_t id = 24, data = 32;
}
namespace copy_coll {
constexpr std::size_t sequence = 24, func = 32, count = 56, root = 64, datatype = 72, algorithm = 80;
}
namespace copy_sync {
constexpr std::size_t ranks = 28;
}
namespace copy_batch {
constexpr std::size_t operations = 24, bytes = 32;
}
namespace infiniband { // what NCCL's plugin for it passes, as the next
constexpr std::size_t queue_pair = 8, bytes = 32;
}
namespace socket {
constexpr std::size_t descriptor = 8, bytes = 16;
}
namespace coll_v3 {
constexpr std::size_t hash = 32;
}
} // namespace offset

// Offsets of the fields of Coll and P2p. 0: the version lacks the field.
struct Layout {
    bool wide_type; // the type has 64 bits; else one byte, followed by garbage
    struct {
        std::size_t sequence, func, count, root, datatype, channels, warps, algorithm, protocol, group;
    } coll;
    struct {
        std::size_t func, datatype, count, peer, channels, group;
    } p2p;
};
constexpr Layout layout_v3{false, {40, 48, 72, 80, 88, 96, 97, 104, 112, 0}, {40, 56, 64, 72, 0, 0}};
constexpr Layout layout_v4{false, {24, 32, 56, 64, 72, 80, 81, 88, 96, 0}, {24, 40, 48, 56, 60, 0}};
constexpr Layout layout_v5{true, {24, 32, 56, 64, 72, 80, 81, 88, 96, 104}, {24, 40, 48, 56, 60, 64}};
constexpr Layout layout_of(int version) {
    return version == 3 ? layout_v3 : version == 4 ? layout_v4 : layout_v5; // v6 has that of v5
}

using Logger = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);
constexpr int log_warn = 2;
constexpr int log_info = 3;
constexpr unsigned long log_profile = 0x4000;

constexpr int success = 0; // ncclSuccess: nothing here ever returns anything else

// The object that is exported for a version. `init` has three forms: v3's, v4's, and that of v5 and v6.
struct Exported {
    const char* name;
    void* init;
    int (*start)(void* context, void** handle, void* descriptor);
    int (*stop)(void* handle);
    int (*record_state)(void* handle, int state, void* arguments);
    int (*finalize)(void* context);
};
static_assert(sizeof(Exported) == 48, "six pointers");

} // namespace tactus::nccl
