// The callbacks. NCCL calls them on its threads, some of which move the data, so they only write an event into a ring.
// They never fail, and they always write the handle, because NCCL would otherwise keep whatever was there.
#include "collector/nccl/abi.hpp"
#include "collector/nccl/kernels.hpp"
#include "collector/nccl/plugin.hpp"
#include "collector/nccl/words.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace tactus::nccl {
namespace {

constexpr unsigned bit_of(std::uint64_t type) { return static_cast<unsigned>(std::countr_zero(type)); }

bool is_recorded() {
    bool (*const ask)() = plugin.is_recorded.load(std::memory_order_acquire); // pairs with the store in plugin.cpp
    return ask == nullptr || ask();
}

// What is below an event that is not recorded is not recorded either, in whatever thread it happens.
bool is_off(Token token) { return (token.bits & ~Token::captured_bit) == Token::off; }

bool is_ours(Token token) { return token.ring() >= 1 && token.ring() <= most_rings; }

// A launch that is captured into a graph launches nothing.
bool is_marked(Token token) {
    return token.type() == bit_of(event::kernel_launch) && !token.captured() &&
           plugin.marks_launches.load(std::memory_order_relaxed);
}

const char* text_at(const void* descriptor, std::size_t offset) { return at<const char*>(descriptor, offset); }

template <int version> void describe_coll(Event& event, const void* from) {
    constexpr auto layout = layout_of(version).coll;
    event.count = at<std::uint64_t>(from, layout.count);
    event.sequence = at<std::uint64_t>(from, layout.sequence);
    event.root = at<std::int32_t>(from, layout.root);
    event.channels = at<std::uint8_t>(from, layout.channels);
    event.warps = at<std::uint8_t>(from, layout.warps);
    event.func = words.code(text_at(from, layout.func));
    event.datatype = words.code(text_at(from, layout.datatype));
    event.algorithm = words.code(text_at(from, layout.algorithm));
    event.protocol = words.code(text_at(from, layout.protocol));
    if constexpr (layout.group != 0) event.plan = at<std::uint64_t>(from, layout.group);
}

template <int version> void describe_p2p(Event& event, const void* from) {
    constexpr auto layout = layout_of(version).p2p;
    event.count = at<std::uint64_t>(from, layout.count);
    event.peer = at<std::int32_t>(from, layout.peer);
    event.func = words.code(text_at(from, layout.func));
    event.datatype = words.code(text_at(from, layout.datatype));
    if constexpr (layout.group != 0) {
        event.plan = at<std::uint64_t>(from, layout.group);
        event.channels = at<std::uint8_t>(from, layout.channels);
    } else {
        event.flags |= Event::guessed_channels;
    }
}

// These descriptors are the same in all versions that have them.
void describe_call(Event& event, const void* from) {
    namespace at_call = offset::call;
    event.func = words.code(text_at(from, at_call::func));
    event.count = at<std::uint64_t>(from, at_call::count);
    event.datatype = words.code(text_at(from, at_call::datatype));
}
void describe_proxy_op(Event& event, const void* from) {
    namespace at_op = offset::proxy_op;
    event.channels = at<std::uint8_t>(from, at_op::channel);
    event.peer = at<std::int32_t>(from, at_op::peer);
    event.steps_and_chunk = at<std::uint64_t>(from, at_op::steps) << 32 | at<std::uint32_t>(from, at_op::chunk_bytes);
    if (at<std::int32_t>(from, at_op::sends) != 0) event.flags |= Event::sends;
    event.pid = at<std::uint32_t>(from, at_op::pid);
}
void describe_copy_coll(Event& event, const void* from) {
    namespace at_copy = offset::copy_coll;
    event.sequence = at<std::uint64_t>(from, at_copy::sequence);
    event.func = words.code(text_at(from, at_copy::func));
    event.count = at<std::uint64_t>(from, at_copy::count);
    event.root = at<std::int32_t>(from, at_copy::root);
    event.datatype = words.code(text_at(from, at_copy::datatype));
    event.algorithm = words.code(text_at(from, at_copy::algorithm));
}
// `data` is valid during the call only. Nothing is known of the data of other sources than these two.
void describe_network(Event& event, std::int64_t id, const void* data) {
    const auto version = static_cast<std::uint16_t>(id);
    const auto source = static_cast<std::uint16_t>(id >> 16);
    constexpr std::uint16_t infiniband = 1;
    constexpr std::uint16_t socket = 2;
    event.source = source;
    if (data == nullptr || version != 1) return;
    if (source == infiniband) {
        event.network_id = static_cast<std::uint32_t>(at<std::int32_t>(data, offset::infiniband::queue_pair));
        event.count = at<std::uint64_t>(data, offset::infiniband::bytes);
    } else if (source == socket) {
        event.network_id = static_cast<std::uint32_t>(at<std::int32_t>(data, offset::socket::descriptor));
        event.count = at<std::uint64_t>(data, offset::socket::bytes);
    }
}
template <int version> void describe_kernel_channel(Event& event, const void* from) {
    event.channels = at<std::uint8_t>(from, offset::kernel_channel::channel);
    if constexpr (version == 3)
        event.flags |= Event::no_stamp;
    else
        event.gpu_stamp = at<std::uint64_t>(from, offset::kernel_channel::gpu_stamp);
}

// Whether the call, or the group of calls, is captured into a CUDA graph.
bool is_captured(unsigned type, const void* from) {
    switch (type) {
    case bit_of(event::group_api):
        return at<std::uint8_t>(from, offset::group_api::captured) != 0;
    case bit_of(event::coll_api):
        return at<std::uint8_t>(from, offset::coll_api::captured) != 0;
    case bit_of(event::p2p_api):
        return at<std::uint8_t>(from, offset::p2p_api::captured) != 0;
    default:
        return false;
    }
}

template <int version> void describe(Event& event, unsigned type, const void* from) {
    if (is_captured(type, from)) event.flags |= Event::captured;
    switch (type) {
    case bit_of(event::coll):
        return describe_coll<version>(event, from);
    case bit_of(event::p2p):
        return describe_p2p<version>(event, from);
    case bit_of(event::proxy_op):
        return describe_proxy_op(event, from);
    case bit_of(event::proxy_step):
        event.step = at<std::int32_t>(from, offset::proxy_step::step);
        return;
    case bit_of(event::kernel_channel):
        return describe_kernel_channel<version>(event, from);
    case bit_of(event::net_plugin):
        return describe_network(event, at<std::int64_t>(from, offset::net_plugin::id),
                                at<const void*>(from, offset::net_plugin::data));
    case bit_of(event::group_api):
        event.depth = at<std::int32_t>(from, offset::group_api::depth);
        return;
    case bit_of(event::coll_api):
        event.root = at<std::int32_t>(from, offset::coll_api::root);
        return describe_call(event, from);
    case bit_of(event::p2p_api):
        return describe_call(event, from);
    case bit_of(event::copy_coll):
        return describe_copy_coll(event, from);
    case bit_of(event::copy_sync):
        event.ranks = at<std::int32_t>(from, offset::copy_sync::ranks);
        return;
    case bit_of(event::copy_batch):
        event.operations = at<std::int32_t>(from, offset::copy_batch::operations);
        event.count = at<std::uint64_t>(from, offset::copy_batch::bytes);
        return;
    default: // groups, launches and the proxy's control have no fields to read
        return;
    }
}

// Whether an event decides, for all events below it, if they are recorded. Calls decide, where NCCL reports calls; else
// the group or the operation that was launched decides. Operations of a CUDA graph are replayed long after their call
// and decide for themselves.
template <int version> bool decides(std::uint64_t type, Token parent) {
    if (type == event::group_api || type == event::proxy_control) return true;
    if (type == event::group) return version < 5;
    if ((type & (event::coll | event::p2p | event::copy_coll)) == 0) return false;
    return parent.captured() || (!is_ours(parent) && !is_off(parent));
}

constexpr std::uint64_t below_operations = event::proxy_op | event::proxy_step | event::kernel_channel |
                                           event::net_plugin | event::copy_sync | event::copy_batch;
constexpr std::uint64_t below_calls = event::coll_api | event::p2p_api | event::kernel_launch;

// The handle of an event that is not recorded. It still says whether a graph is captured, because the graph's replays
// decide for themselves.
void* off_handle(std::uint64_t type, Token parent, const void* descriptor) {
    const bool captured = parent.captured() || is_captured(bit_of(type), descriptor);
    return Token{Token::off | (captured ? Token::captured_bit : 0)}.handle();
}

// What NCCL says about an event that begins, as far as it decides whether the event is recorded.
struct Beginning {
    Ticks tick = 0;
    std::uint64_t type = 0;
    const void* context = nullptr;
    const void* descriptor = nullptr;
    bool known_context = false;
    bool foreign = false; // a proxy works for another process
    Token raw_parent{};   // as NCCL passed it
    Token parent{};       // of this process, or one that says that nothing below it is recorded

    [[nodiscard]] bool has_parent() const { return !foreign && (is_ours(raw_parent) || is_off(raw_parent)); }
};

Beginning beginning_of(Ticks tick, std::uint64_t type, const void* context, const void* descriptor) {
    Beginning begun{.tick = tick, .type = type, .context = context, .descriptor = descriptor};
    begun.known_context = plugin.contexts.is_ours(context);
    begun.raw_parent = Token::from(at<const void*>(descriptor, parent_at));
    begun.foreign = type == event::proxy_op &&
                    (at<std::uint32_t>(descriptor, offset::proxy_op::pid) != plugin.pid || !begun.known_context);
    if (begun.has_parent()) begun.parent = begun.raw_parent;
    return begun;
}

// Whether an event is recorded. If it is not, `refusal` is the handle that NCCL gets for it.
template <int version> bool is_wanted(const Beginning& begun, bool root, Ring* ring, void*& refusal) {
    if (begun.foreign) {
        if (is_recorded()) return true;
        refusal = Token{Token::off}.handle();
        return false;
    }
    const std::uint64_t type = begun.type;
    // A group that a call launches has no parent, but the thread of the call launches it.
    const bool launched = version >= 5 && type == event::group && ring != nullptr;
    const bool recorded = root ? is_recorded() : launched ? !ring->skips_call() : !is_off(begun.parent);
    const bool has_room =
        (type & below_operations) != 0 || (begun.known_context && Contexts::index(begun.context) < Contexts::most);
    if (type == event::group_api && ring != nullptr) ring->skip_call(!recorded || !has_room);
    if (!recorded || !has_room) {
        refusal = off_handle(type, begun.parent, begun.descriptor);
        return false;
    }
    // An event that needs a parent has none when the event that it is part of was not taken.
    return begun.has_parent() || (type & (below_operations | below_calls)) == 0;
}

template <int version> Event event_of(const Beginning& begun) {
    Event event;
    event.tick = begun.tick;
    event.parent = begun.foreign ? begun.raw_parent.bits : is_off(begun.parent) ? 0 : begun.parent.bits;
    event.context = begun.known_context && !begun.foreign ? Contexts::index(begun.context) : foreign_context;
    event.moment = Moment::start;
    describe<version>(event, bit_of(begun.type), begun.descriptor);
    if (begun.foreign) event.flags |= Event::foreign;
    if constexpr (version == 3) // only operations say which communicator it is
        if ((begun.type & (event::coll | event::p2p)) != 0)
            plugin.contexts.learn(event.context, at<std::uint64_t>(begun.descriptor, offset::coll_v3::hash),
                                  at<std::int32_t>(begun.descriptor, rank_at));
    return event;
}

template <int version> void* started(const void* context, const void* descriptor) {
    const Ticks tick = now();
    const std::uint64_t type =
        layout_of(version).wide_type ? at<std::uint64_t>(descriptor, 0) : at<std::uint8_t>(descriptor, 0);
    if (!std::has_single_bit(type) || type > events_of(version)) return nullptr;
    const Beginning begun = beginning_of(tick, type, context, descriptor);
    const bool root = decides<version>(type, begun.parent);
    Ring* const ring = plugin.rings.mine();
    void* refusal = nullptr;
    if (!is_wanted<version>(begun, root, ring, refusal)) return refusal;
    Event* const room = ring != nullptr ? ring->room(root ? Ring::most_for_roots : Ring::most_for_starts) : nullptr;
    if (room == nullptr) {
        if (type == event::group_api && ring != nullptr) ring->skip_call(true);
        return root ? off_handle(type, begun.parent, descriptor) : nullptr;
    }
    Event event = event_of<version>(begun);
    const bool captured = (event.flags & Event::captured) != 0 || begun.parent.captured();
    const Token token = Token::of(ring->index(), ring->next_number(), bit_of(type), captured);
    event.id = token.bits;
    *room = event;
    ring->publish(plugin.rings.bell());
    if (is_marked(token)) kernels::launch_begins(LaunchMark::of(token, event.context));
    return token.handle();
}

template <int version> int start(void* context, void** handle, void* descriptor) {
    if (handle == nullptr) return success;
    const bool takes = takes_from.load(std::memory_order_relaxed) && descriptor != nullptr;
    *handle = takes ? started<version>(context, descriptor) : nullptr;
    return success;
}

void write_down(const Event& event) {
    Ring* const ring = plugin.rings.mine();
    Event* const room = ring != nullptr ? ring->room(Ring::most_for_ends) : nullptr;
    if (room == nullptr) return;
    *room = event;
    ring->publish(plugin.rings.bell());
}

int stop(void* handle) {
    const Token token = Token::from(handle);
    if (!is_ours(token) || !takes_from.load(std::memory_order_relaxed)) return success;
    Event event;
    event.tick = now();
    event.id = token.bits;
    event.moment = Moment::stop;
    if (is_marked(token)) kernels::launch_ends();
    write_down(event);
    return success;
}

// Fills in what a state says, by the event's type. False: the state is not recorded.
bool describe_state(Event& event, unsigned type, const void* arguments) {
    const int state = event.state;
    switch (type) {
    case bit_of(event::kernel_channel):
        if (state != state::kernel_channel_stop) return false;
        if (arguments != nullptr) event.gpu_stamp = at<std::uint64_t>(arguments, 0);
        return true;
    case bit_of(event::proxy_step):
        if (state != state::step_send_peer_wait &&
            (state < state::step_send_gpu_wait || state > state::step_recv_gpu_wait))
            return false;
        if (arguments != nullptr) event.count = at<std::uint64_t>(arguments, 0);
        return true;
    case bit_of(event::proxy_control):
        return state >= state::control_idle && state <= state::control_append_end;
    default:
        return false;
    }
}

int record_state(void* handle, int state, void* arguments) {
    const Token token = Token::from(handle);
    if (!is_ours(token) || !takes_from.load(std::memory_order_relaxed)) return success;
    Event event;
    event.tick = now();
    event.id = token.bits;
    event.state = state;
    event.moment = Moment::state;
    if (describe_state(event, token.type(), arguments)) write_down(event);
    return success;
}

int finalize(void* context) {
    if (!takes_from.load(std::memory_order_relaxed) || !plugin.contexts.is_ours(context)) return success;
    Event event;
    event.tick = now();
    event.context = Contexts::index(context);
    event.moment = Moment::finalize;
    if (event.context < Contexts::most) write_down(event);
    return success;
}

int init(int version, void** context, int* mask, std::uint64_t id, const char* name, int nodes, int ranks, int rank,
         Logger log) {
    words.forget_pointers();
    Context fresh{.id = id, .ranks = ranks, .nodes = nodes, .rank = rank, .version = version};
    if (name != nullptr) std::snprintf(fresh.name.data(), fresh.name.size(), "%s", name);
    if (context != nullptr) *context = begin_communicator(fresh, log);
    if (mask != nullptr) __atomic_store_n(mask, mask_of(version), __ATOMIC_RELAXED); // others read it
    return success;
}
int init_v3(void** context, int* mask) { return init(3, context, mask, 0, nullptr, 0, 0, 0, nullptr); }
int init_v4(void** context, int* mask, const char* name, std::uint64_t id, int nodes, int ranks, int rank, Logger log) {
    return init(4, context, mask, id, name, nodes, ranks, rank, log);
}
template <int version>
int init_v5(void** context, std::uint64_t id, int* mask, const char* name, int nodes, int ranks, int rank, Logger log) {
    return init(version, context, mask, id, name, nodes, ranks, rank, log);
}

} // namespace
} // namespace tactus::nccl

extern "C" {
using namespace tactus::nccl;
[[gnu::visibility("default")]] Exported ncclProfiler_v3{
    "tactus", reinterpret_cast<void*>(init_v3), start<3>, stop, record_state, finalize};
[[gnu::visibility("default")]] Exported ncclProfiler_v4{
    "tactus", reinterpret_cast<void*>(init_v4), start<4>, stop, record_state, finalize};
[[gnu::visibility("default")]] Exported ncclProfiler_v5{
    "tactus", reinterpret_cast<void*>(init_v5<5>), start<5>, stop, record_state, finalize};
[[gnu::visibility("default")]] Exported ncclProfiler_v6{
    "tactus", reinterpret_cast<void*>(init_v5<6>), start<6>, stop, record_state, finalize};
}
