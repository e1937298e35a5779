// What NCCL calls. On its threads, some of which move the data: here an event is written down, nothing else. Nothing
// ever fails, and handles are always written: NCCL keeps whatever stood there.
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
    bool (*const ask)() = plugin.is_recorded.load(std::memory_order_acquire); // pairs with who set it
    return ask == nullptr || ask();
}

// What is below something that is not recorded is not either, wherever it happens.
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
    event.b = at<std::uint64_t>(from, layout.sequence);
    event.number = at<std::int32_t>(from, layout.root);
    event.channels = at<std::uint8_t>(from, layout.channels);
    event.warps = at<std::uint8_t>(from, layout.warps);
    event.func = words.code(text_at(from, layout.func));
    event.datatype = words.code(text_at(from, layout.datatype));
    event.algorithm = words.code(text_at(from, layout.algorithm));
    event.protocol = words.code(text_at(from, layout.protocol));
    if constexpr (layout.group != 0) event.group = at<std::uint64_t>(from, layout.group);
}

template <int version> void describe_p2p(Event& event, const void* from) {
    constexpr auto layout = layout_of(version).p2p;
    event.count = at<std::uint64_t>(from, layout.count);
    event.number = at<std::int32_t>(from, layout.peer);
    event.func = words.code(text_at(from, layout.func));
    event.datatype = words.code(text_at(from, layout.datatype));
    if constexpr (layout.group != 0) {
        event.group = at<std::uint64_t>(from, layout.group);
        event.channels = at<std::uint8_t>(from, layout.channels);
    } else {
        event.flags |= Event::guessed_channels;
    }
}

// The same in all versions that have them.
void describe_call(Event& event, const void* from, bool coll) {
    event.func = words.code(text_at(from, 24));
    event.count = at<std::uint64_t>(from, 32);
    event.datatype = words.code(text_at(from, 40));
    if (coll) event.number = at<std::int32_t>(from, 48);
}
void describe_proxy_op(Event& event, const void* from) {
    event.channels = at<std::uint8_t>(from, 28);
    event.number = at<std::int32_t>(from, 32);
    event.b = at<std::uint64_t>(from, 36) << 32 | at<std::uint32_t>(from, 40); // steps, chunk size
    if (at<std::int32_t>(from, 44) != 0) event.flags |= Event::sends;
    event.group = at<std::uint32_t>(from, 24); // whose
}
void describe_copy_coll(Event& event, const void* from) {
    event.b = at<std::uint64_t>(from, 24);
    event.func = words.code(text_at(from, 32));
    event.count = at<std::uint64_t>(from, 56);
    event.number = at<std::int32_t>(from, 64);
    event.datatype = words.code(text_at(from, 72));
    event.algorithm = words.code(text_at(from, 80));
}
// Valid during the call alone. Of other sources than these nothing is known.
void describe_network(Event& event, std::int64_t id, const void* data) {
    const auto version = static_cast<std::uint16_t>(id);
    const auto source = static_cast<std::uint16_t>(id >> 16);
    constexpr std::uint16_t infiniband = 1;
    constexpr std::uint16_t socket = 2;
    event.number = source;
    if (data == nullptr || version != 1) return;
    if (source == infiniband) {
        event.b = static_cast<std::uint32_t>(at<std::int32_t>(data, 8));
        event.count = at<std::uint64_t>(data, 32);
    } else if (source == socket) {
        event.b = static_cast<std::uint32_t>(at<std::int32_t>(data, 8));
        event.count = at<std::uint64_t>(data, 16);
    }
}

template <int version> void describe(Event& event, unsigned type, const void* from) {
    switch (type) {
    case bit_of(event::coll):
        return describe_coll<version>(event, from);
    case bit_of(event::p2p):
        return describe_p2p<version>(event, from);
    case bit_of(event::proxy_op):
        return describe_proxy_op(event, from);
    case bit_of(event::proxy_step):
        event.number = at<std::int32_t>(from, 24);
        return;
    case bit_of(event::kernel_channel):
        event.channels = at<std::uint8_t>(from, 24);
        if constexpr (version == 3)
            event.flags |= Event::no_stamp;
        else
            event.b = at<std::uint64_t>(from, 32);
        return;
    case bit_of(event::net_plugin):
        return describe_network(event, at<std::int64_t>(from, 24), at<const void*>(from, 32));
    case bit_of(event::group_api):
        event.number = at<std::int32_t>(from, 28);
        if (at<std::uint8_t>(from, 24) != 0) event.flags |= Event::captured;
        return;
    case bit_of(event::coll_api):
        describe_call(event, from, true);
        if (at<std::uint8_t>(from, 64) != 0) event.flags |= Event::captured;
        return;
    case bit_of(event::p2p_api):
        describe_call(event, from, false);
        if (at<std::uint8_t>(from, 56) != 0) event.flags |= Event::captured;
        return;
    case bit_of(event::copy_coll):
        return describe_copy_coll(event, from);
    case bit_of(event::copy_sync):
        event.number = at<std::int32_t>(from, 28);
        return;
    case bit_of(event::copy_batch):
        event.number = at<std::int32_t>(from, 24);
        event.count = at<std::uint64_t>(from, 32);
        return;
    default: // groups, launches and the proxy's states say nothing of themselves
        return;
    }
}

// Whether it decides for all below it if they are recorded: calls, where there are any; else what was launched with
// them. Operations of a CUDA graph are replayed long behind their call, and decide for themselves.
template <int version> bool decides(std::uint64_t type, Token parent) {
    if (type == event::group_api || type == event::proxy_control) return true;
    if (type == event::group) return version < 5;
    if ((type & (event::coll | event::p2p | event::copy_coll)) == 0) return false;
    return parent.captured() || (!is_ours(parent) && !is_off(parent));
}

constexpr std::uint64_t below_operations = event::proxy_op | event::proxy_step | event::kernel_channel |
                                           event::net_plugin | event::copy_sync | event::copy_batch;
constexpr std::uint64_t below_calls = event::coll_api | event::p2p_api | event::kernel_launch;

// Still says whether a graph is captured: its replays decide for themselves.
void* off_handle(std::uint64_t type, Token parent, const void* descriptor) {
    const bool captured = parent.captured() || (type == event::group_api && at<std::uint8_t>(descriptor, 24) != 0) ||
                          (type == event::coll_api && at<std::uint8_t>(descriptor, 64) != 0) ||
                          (type == event::p2p_api && at<std::uint8_t>(descriptor, 56) != 0);
    return Token{Token::off | (captured ? Token::captured_bit : 0)}.handle();
}

template <int version> void* started(const void* context, const void* descriptor) {
    const Ticks tick = now();
    const std::uint64_t type =
        layout_of(version).wide_type ? at<std::uint64_t>(descriptor, 0) : at<std::uint8_t>(descriptor, 0);
    if (!std::has_single_bit(type) || type > events_of(version)) return nullptr;
    const bool known_context = plugin.contexts.is_ours(context);
    const Token raw_parent = Token::from(at<const void*>(descriptor, parent_at));
    const bool foreign = type == event::proxy_op && (at<std::uint32_t>(descriptor, 24) != plugin.pid || !known_context);
    const bool has_parent = !foreign && (is_ours(raw_parent) || is_off(raw_parent));
    const Token parent = has_parent ? raw_parent : Token{};
    const bool root = decides<version>(type, parent);
    Ring* const ring = plugin.rings.mine();
    if (foreign) {
        if (!is_recorded()) return Token{Token::off}.handle();
    } else {
        // What a call launches has no parent, but is launched by its thread.
        const bool launched = version >= 5 && type == event::group && ring != nullptr;
        const bool recorded = root ? is_recorded() : launched ? !ring->skips_call() : !is_off(parent);
        const bool has_room =
            (type & below_operations) != 0 || (known_context && Contexts::index(context) < Contexts::most);
        if (type == event::group_api && ring != nullptr) ring->skip_call(!recorded || !has_room);
        if (!recorded || !has_room) return off_handle(type, parent, descriptor);
        // What it is part of was not taken.
        if (!has_parent && (type & (below_operations | below_calls)) != 0) return nullptr;
    }
    Event* const room = ring != nullptr ? ring->room(root ? Ring::most_for_roots : Ring::most_for_starts) : nullptr;
    if (room == nullptr) {
        if (type == event::group_api && ring != nullptr) ring->skip_call(true);
        return root ? off_handle(type, parent, descriptor) : nullptr;
    }
    Event event;
    event.tick = tick;
    event.parent = foreign ? raw_parent.bits : is_off(parent) ? 0 : parent.bits;
    event.context = known_context && !foreign ? Contexts::index(context) : foreign_context;
    event.step = Step::start;
    describe<version>(event, bit_of(type), descriptor);
    if constexpr (version == 3) { // the communicator stands with its operations, and only there
        constexpr std::size_t hash_at = 32;
        if ((type & (event::coll | event::p2p)) != 0)
            plugin.contexts.learn(event.context, at<std::uint64_t>(descriptor, hash_at),
                                  at<std::int32_t>(descriptor, rank_at));
    }
    if (foreign) event.flags |= Event::foreign;
    const bool captured = (event.flags & Event::captured) != 0 || parent.captured();
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
    event.step = Step::stop;
    if (is_marked(token)) kernels::launch_ends();
    write_down(event);
    return success;
}

// What it says, by the event's type; false: nothing that is recorded.
bool describe_state(Event& event, unsigned type, const void* arguments) {
    const int state = event.number;
    switch (type) {
    case bit_of(event::kernel_channel):
        if (state != state::kernel_channel_stop) return false;
        if (arguments != nullptr) event.b = at<std::uint64_t>(arguments, 0);
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
    event.number = state;
    event.step = Step::state;
    if (describe_state(event, token.type(), arguments)) write_down(event);
    return success;
}

int finalize(void* context) {
    if (!takes_from.load(std::memory_order_relaxed) || !plugin.contexts.is_ours(context)) return success;
    Event event;
    event.tick = now();
    event.context = Contexts::index(context);
    event.step = Step::finalize;
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
