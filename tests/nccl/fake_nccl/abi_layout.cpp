// The offset tables of the profiler interface as assertions. A layout that deviates from them does not compile.
#include "abi.hpp"

namespace tactus::fake_nccl::abi {
namespace {

template <typename Descriptor> constexpr std::size_t union_at = offsetof(Descriptor, coll);

static_assert(sizeof(DescriptorV3) == 120 && sizeof(DescriptorV4) == 104);
static_assert(sizeof(DescriptorV5) == 112 && sizeof(DescriptorV6) == 112);
static_assert(offsetof(DescriptorV3, parent) == 8 && offsetof(DescriptorV3, rank) == 16);
static_assert(offsetof(DescriptorV4, parent) == 8 && offsetof(DescriptorV4, rank) == 16);
static_assert(offsetof(DescriptorV5, parent) == 8 && offsetof(DescriptorV5, rank) == 16);
static_assert(offsetof(DescriptorV6, parent) == 8 && offsetof(DescriptorV6, rank) == 16);
static_assert(union_at<DescriptorV3> == 24 && union_at<DescriptorV4> == 24);
static_assert(union_at<DescriptorV5> == 24 && union_at<DescriptorV6> == 24);

// Below, offsets are relative to the union, which is at 24.
static_assert(offsetof(CollV3, name) == 0 && offsetof(CollV3, comm_hash) == 8 && offsetof(CollV3, sequence) == 16);
static_assert(offsetof(CollV3, func) == 24 && offsetof(CollV3, send_buffer) == 32 &&
              offsetof(CollV3, recv_buffer) == 40);
static_assert(offsetof(CollV3, count) == 48 && offsetof(CollV3, root) == 56 && offsetof(CollV3, datatype) == 64);
static_assert(offsetof(CollV3, channels) == 72 && offsetof(CollV3, warps) == 73);
static_assert(offsetof(CollV3, algo) == 80 && offsetof(CollV3, proto) == 88);

static_assert(offsetof(CollV4, sequence) == 0 && offsetof(CollV4, func) == 8 && offsetof(CollV4, send_buffer) == 16);
static_assert(offsetof(CollV4, recv_buffer) == 24 && offsetof(CollV4, count) == 32 && offsetof(CollV4, root) == 40);
static_assert(offsetof(CollV4, datatype) == 48 && offsetof(CollV4, channels) == 56 && offsetof(CollV4, warps) == 57);
static_assert(offsetof(CollV4, algo) == 64 && offsetof(CollV4, proto) == 72 && sizeof(CollV4) == 80);
static_assert(offsetof(CollV5, proto) == 72 && offsetof(CollV5, parent_group) == 80 && sizeof(CollV5) == 88);

static_assert(offsetof(P2pV3, comm_hash) == 8 && offsetof(P2pV3, func) == 16 && offsetof(P2pV3, buffer) == 24);
static_assert(offsetof(P2pV3, datatype) == 32 && offsetof(P2pV3, count) == 40 && offsetof(P2pV3, peer) == 48);
static_assert(offsetof(P2pV4, func) == 0 && offsetof(P2pV4, buffer) == 8 && offsetof(P2pV4, datatype) == 16);
static_assert(offsetof(P2pV4, count) == 24 && offsetof(P2pV4, peer) == 32 && offsetof(P2pV4, channels) == 36);
static_assert(offsetof(P2pV5, count) == 24 && offsetof(P2pV5, peer) == 32 && offsetof(P2pV5, channels) == 36);
static_assert(offsetof(P2pV5, parent_group) == 40);

static_assert(offsetof(ProxyOp, pid) == 0 && offsetof(ProxyOp, channel) == 4 && offsetof(ProxyOp, peer) == 8);
static_assert(offsetof(ProxyOp, steps) == 12 && offsetof(ProxyOp, chunk_bytes) == 16);
static_assert(offsetof(ProxyOp, is_send) == 20);
static_assert(offsetof(KernelCh, channel) == 0 && offsetof(KernelCh, timer) == 8);
static_assert(offsetof(NetPlugin, id) == 0 && offsetof(NetPlugin, data) == 8);
static_assert(offsetof(GroupApi, captured) == 0 && offsetof(GroupApi, depth) == 4);

static_assert(offsetof(CollApi, func) == 0 && offsetof(CollApi, count) == 8 && offsetof(CollApi, datatype) == 16);
static_assert(offsetof(CollApi, root) == 24 && offsetof(CollApi, stream) == 32 && offsetof(CollApi, captured) == 40);
static_assert(offsetof(P2pApi, func) == 0 && offsetof(P2pApi, count) == 8 && offsetof(P2pApi, datatype) == 16);
static_assert(offsetof(P2pApi, stream) == 24 && offsetof(P2pApi, captured) == 32);

static_assert(offsetof(CeColl, sequence) == 0 && offsetof(CeColl, func) == 8 && offsetof(CeColl, send_buffer) == 16);
static_assert(offsetof(CeColl, recv_buffer) == 24 && offsetof(CeColl, count) == 32 && offsetof(CeColl, root) == 40);
static_assert(offsetof(CeColl, datatype) == 48 && offsetof(CeColl, sync_strategy) == 56);
static_assert(offsetof(CeColl, intra_batch_sync) == 64 && offsetof(CeColl, batch_size) == 68);
static_assert(offsetof(CeColl, batches) == 72 && offsetof(CeColl, ce_sequence) == 76 && offsetof(CeColl, stream) == 80);
static_assert(offsetof(CeSync, complete) == 0 && offsetof(CeSync, ranks) == 4);
static_assert(offsetof(CeBatch, operations) == 0 && offsetof(CeBatch, bytes) == 8 &&
              offsetof(CeBatch, intra_sync) == 16);

static_assert(sizeof(StateArgsV3) == 16 && sizeof(StateArgs) == 8);
static_assert(sizeof(PluginV3) == 48 && sizeof(PluginV4) == 48 && sizeof(PluginV5) == 48 && sizeof(PluginV6) == 48);

static_assert(sizeof(IbEvent) == 40 && offsetof(IbEvent, device) == 8);
static_assert(offsetof(IbEvent, work_request) == 16 && offsetof(IbEvent, opcode) == 24);
static_assert(offsetof(IbEvent, queue_pair) == 28 && offsetof(IbEvent, bytes) == 32);
static_assert(sizeof(SocketEvent) == 24 && offsetof(SocketEvent, descriptor) == 8);
static_assert(offsetof(SocketEvent, operation) == 12 && offsetof(SocketEvent, bytes) == 16);

} // namespace
} // namespace tactus::fake_nccl::abi
