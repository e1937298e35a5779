// Rewrites descriptors field by field, so that only named fields are filled.
#include "descriptors.hpp"

#include <cstring>

namespace tactus::fake_nccl {
namespace {

namespace event = abi::event;

void fill(auto& descriptor, int byte) { std::memset(static_cast<void*>(&descriptor), byte, sizeof descriptor); }

// The type is one byte here. The seven bytes after it are padding, which nobody clears.
void set_header(auto& to, const abi::DescriptorV6& from) {
    std::memset(static_cast<void*>(&to), garbage_byte, 8);
    to.type = static_cast<std::uint8_t>(from.type);
    to.parent = from.parent;
    to.rank = from.rank;
}

void copy_coll(auto& to, const abi::CollV5& from) {
    to.sequence = from.sequence;
    to.func = from.func;
    to.send_buffer = from.send_buffer;
    to.recv_buffer = from.recv_buffer;
    to.count = from.count;
    to.root = from.root;
    to.datatype = from.datatype;
    to.channels = from.channels;
    to.warps = from.warps;
    to.algo = from.algo;
    to.proto = from.proto;
}

void copy_p2p(auto& to, const abi::P2pV5& from) {
    to.func = from.func;
    to.buffer = from.buffer;
    to.datatype = from.datatype;
    to.count = from.count;
    to.peer = from.peer;
}

void copy_proxy_op(abi::ProxyOp& to, const abi::ProxyOp& from) {
    to.pid = from.pid;
    to.channel = from.channel;
    to.peer = from.peer;
    to.steps = from.steps;
    to.chunk_bytes = from.chunk_bytes;
    to.is_send = from.is_send;
}

// The members that are the same in all versions.
void copy_common(auto& to, const abi::DescriptorV6& from) {
    switch (from.type) {
    case event::proxy_op:
        copy_proxy_op(to.proxy_op, from.proxy_op);
        break;
    case event::proxy_step:
        to.proxy_step.step = from.proxy_step.step;
        break;
    case event::net_plugin:
        to.net_plugin.id = from.net_plugin.id;
        to.net_plugin.data = from.net_plugin.data;
        break;
    default:
        break;
    }
}

void copy_api(abi::DescriptorV5& to, const abi::DescriptorV6& from) {
    switch (from.type) {
    case event::group_api:
        to.group_api.captured = from.group_api.captured;
        to.group_api.depth = from.group_api.depth;
        break;
    case event::coll_api:
        to.coll_api.func = from.coll_api.func;
        to.coll_api.count = from.coll_api.count;
        to.coll_api.datatype = from.coll_api.datatype;
        to.coll_api.root = from.coll_api.root;
        to.coll_api.stream = from.coll_api.stream;
        to.coll_api.captured = from.coll_api.captured;
        break;
    case event::p2p_api:
        to.p2p_api.func = from.p2p_api.func;
        to.p2p_api.count = from.p2p_api.count;
        to.p2p_api.datatype = from.p2p_api.datatype;
        to.p2p_api.stream = from.p2p_api.stream;
        to.p2p_api.captured = from.p2p_api.captured;
        break;
    case event::kernel_launch:
        to.kernel_launch.stream = from.kernel_launch.stream;
        break;
    default:
        break;
    }
}

// Before version 5, the parent of a task is its group.
void set_group_parent(auto& to, const abi::DescriptorV6& from) {
    if (from.type == event::coll) to.parent = from.coll.parent_group;
    if (from.type == event::p2p) to.parent = from.p2p.parent_group;
}

} // namespace

abi::DescriptorV3 descriptor_v3(const abi::DescriptorV6& event, const Identity* identity_if_native) {
    abi::DescriptorV3 to;
    fill(to, 0);
    set_header(to, event);
    set_group_parent(to, event);
    copy_common(to, event);
    if (event.type == event::kernel_ch) to.kernel_ch.channel = event.kernel_ch.channel;
    if (event.type == event::coll) {
        copy_coll(to.coll, event.coll);
        to.coll.name = identity_if_native != nullptr ? identity_if_native->name : nullptr;
        to.coll.comm_hash = identity_if_native != nullptr ? identity_if_native->id : 0;
    }
    if (event.type == event::p2p) {
        copy_p2p(to.p2p, event.p2p);
        to.p2p.name = identity_if_native != nullptr ? identity_if_native->name : nullptr;
        to.p2p.comm_hash = identity_if_native != nullptr ? identity_if_native->id : 0;
    }
    return to;
}

abi::DescriptorV4 descriptor_v4(const abi::DescriptorV6& event, bool native) {
    abi::DescriptorV4 to;
    fill(to, native ? 0 : garbage_byte);
    set_header(to, event);
    set_group_parent(to, event);
    copy_common(to, event);
    if (event.type == event::kernel_ch) {
        to.kernel_ch.channel = event.kernel_ch.channel;
        to.kernel_ch.timer = event.kernel_ch.timer;
    }
    if (event.type == event::coll) copy_coll(to.coll, event.coll);
    if (event.type == event::p2p) {
        copy_p2p(to.p2p, event.p2p);
        if (native) to.p2p.channels = event.p2p.channels; // which an adapter forgets
    }
    return to;
}

abi::DescriptorV5 descriptor_v5(const abi::DescriptorV6& event, bool native) {
    abi::DescriptorV5 to;
    fill(to, native ? 0 : garbage_byte);
    to.type = event.type;
    to.parent = event.parent;
    to.rank = event.rank;
    copy_common(to, event);
    copy_api(to, event);
    if (event.type == event::kernel_ch) {
        to.kernel_ch.channel = event.kernel_ch.channel;
        to.kernel_ch.timer = event.kernel_ch.timer;
    }
    if (event.type == event::coll) {
        copy_coll(to.coll, event.coll);
        to.coll.parent_group = event.coll.parent_group;
    }
    if (event.type == event::p2p) {
        copy_p2p(to.p2p, event.p2p);
        to.p2p.channels = event.p2p.channels;
        to.p2p.parent_group = event.p2p.parent_group;
    }
    return to;
}

} // namespace tactus::fake_nccl
