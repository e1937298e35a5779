// A profiler plugin that counts callbacks. It checks their order on each handle, and the fields that NCCL must fill. At
// exit it prints the counts to stderr, unless PROBE_PLUGIN=quiet; it prints the first broken rules at once. A dead
// handle breaks no rule: the host knows how many to expect. PROBE_PLUGIN_MASK sets the events that it asks for. Handles
// are numbers of records that are never reused, so every dead handle is recognized. It uses no locks, and no memory but
// a table, so any thread may call it.
#include "tests/nccl/fake_nccl/abi.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace abi = tactus::fake_nccl::abi;

namespace {

namespace event = abi::event;

// The offsets of the fields as the specification gives them; on purpose not taken from the host's structures.
struct CollAt {
    std::size_t func, count, root, datatype, channels, algo, proto;
};

constexpr CollAt coll_at(int version) {
    if (version == 3) return {48, 72, 80, 88, 96, 104, 112};
    return {32, 56, 64, 72, 80, 88, 96};
}

struct P2pAt {
    std::size_t func, datatype, count, peer;
};

constexpr P2pAt p2p_at(int version) {
    if (version == 3) return {40, 56, 64, 72};
    return {24, 40, 48, 56};
}

template <typename Value> Value read(const void* event, std::size_t offset) {
    Value value;
    std::memcpy(&value, static_cast<const char*>(event) + offset, sizeof value);
    return value;
}

constexpr std::size_t huge = std::size_t{1} << 40;
constexpr int huge_rank = 1 << 20;
constexpr std::uint64_t an_epoch_ns = 1'600'000'000'000'000'000; // 2020: the GPU's clock is near the date

bool is_name(const char* text) { return text != nullptr && text[0] >= 'A' && text[0] <= 'Z' && std::strlen(text) < 20; }
bool is_type_name(const char* text) {
    return text != nullptr && (std::strncmp(text, "nccl", 4) == 0 || std::strcmp(text, "Unknown") == 0);
}

constexpr std::size_t most_records = 1 << 22, event_bits = 21, states = 100;
constexpr int no_state = -1;

// A plain struct that begins as zero, so that the table needs no initialization. It is shared through atomic_ref.
struct Record {
    std::uint64_t type; // 0: never started
    std::uint64_t timer;
    int state_after; // the last state plus one
    bool open;
};

template <typename Value> Value load(Value& value, std::memory_order order = std::memory_order_relaxed) {
    return std::atomic_ref{value}.load(order);
}

template <typename Value> void store(Value& at, Value value, std::memory_order order = std::memory_order_relaxed) {
    std::atomic_ref{at}.store(value, order);
}

std::array<Record, most_records> records;
constinit std::atomic<std::size_t> used{0};
constinit std::array<std::atomic<std::uint64_t>, event_bits> starts{}, stops{};
constinit std::array<std::atomic<std::uint64_t>, states> recorded{};
constinit std::atomic<std::uint64_t> inits{0}, finalizes{0}, dead{0}, null_handles{0}, null_contexts{0}, broken{0};
constinit std::atomic<int> version_used{0};
int a_context = 0;

void add(std::atomic<std::uint64_t>& count) { count.fetch_add(1, std::memory_order_relaxed); }

// Counts the rule as broken if it does not hold, and prints the first few.
void rule(bool holds, const char* what, std::uint64_t which) {
    constexpr std::uint64_t shown = 10;
    if (holds) return;
    if (broken.fetch_add(1, std::memory_order_relaxed) < shown)
        std::fprintf(stderr, "probe: broken: %s (%llu)\n", what, static_cast<unsigned long long>(which));
}

// Returns nullptr if the handle is not from this plugin.
Record* record_of(const void* handle) {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    const bool given = number != 0 && number <= used.load(std::memory_order_acquire) && number <= most_records;
    return given ? &records[number - 1] : nullptr;
}

std::uint64_t type_of(const void* handle) {
    Record* record = record_of(handle);
    return record != nullptr ? load(record->type, std::memory_order_acquire) : 0;
}

// Types that a parent of such an event may have. 0: it has no parent.
std::uint64_t parents_of(std::uint64_t type, bool has_api) {
    switch (type) {
    case event::coll:
        return has_api ? event::coll_api : event::group;
    case event::p2p:
        return has_api ? event::p2p_api : event::group;
    case event::proxy_op:
    case event::kernel_ch:
        return event::coll | event::p2p;
    case event::proxy_step:
        return event::proxy_op;
    case event::net_plugin:
        return event::proxy_step;
    case event::coll_api:
    case event::p2p_api:
    case event::kernel_launch:
        return event::group_api;
    case event::ce_coll:
        return event::coll_api;
    case event::ce_sync:
    case event::ce_batch:
        return event::ce_coll;
    default:
        return 0;
    }
}

// A parent is NULL (if the mask has no such event), of the right type, or of another process.
void check_parent(std::uint64_t type, const void* parent, bool has_api) {
    const std::uint64_t allowed = parents_of(type, has_api);
    if (parent == nullptr) return;
    if (type == event::proxy_op && record_of(parent) == nullptr) return;
    rule((type_of(parent) & allowed) != 0, "a parent of the wrong kind", type);
}

void check_rank(std::uint64_t type, int rank) {
    constexpr std::uint64_t with_rank =
        event::coll | event::p2p | event::proxy_op | event::proxy_step | event::net_plugin | event::all_ce;
    rule((type & with_rank) != 0 || rank == 0, "a rank on an event that has none", type);
}

template <int version> void check_coll(const void* event) {
    constexpr CollAt at = coll_at(version);
    rule(is_name(read<const char*>(event, at.func)), "a Coll without name", read<std::uint64_t>(event, at.count));
    rule(is_type_name(read<const char*>(event, at.datatype)), "a Coll without datatype", event::coll);
    rule(read<std::size_t>(event, at.count) > 0 && read<std::uint8_t>(event, at.channels) > 0, "an empty Coll", 0);
    rule(read<std::size_t>(event, at.count) < huge, "a Coll of absurd size", read<std::size_t>(event, at.count));
    rule(read<int>(event, at.root) >= 0 && read<int>(event, at.root) < huge_rank, "a Coll without root", 0);
    rule(is_name(read<const char*>(event, at.algo)) && is_name(read<const char*>(event, at.proto)),
         "a Coll without algorithm", event::coll);
}

template <int version> void check_p2p(const void* event) {
    constexpr P2pAt at = p2p_at(version);
    const char* const func = read<const char*>(event, at.func);
    const bool named = std::strcmp(func, "Send") == 0 || std::strcmp(func, "Recv") == 0;
    const int peer = read<int>(event, at.peer);
    rule(named && is_type_name(read<const char*>(event, at.datatype)), "a P2p without names", 0);
    rule(read<std::size_t>(event, at.count) < huge && peer >= 0 && peer < huge_rank, "a P2p with an absurd peer", 0);
}

void check_api(const void* event, std::uint64_t type) {
    if (type == event::group_api) {
        rule(read<std::uint8_t>(event, 24) <= 1, "a GroupApi that is captured by half", 0);
        rule(read<int>(event, 28) >= 1 && read<int>(event, 28) < 100, "a GroupApi without depth", 0);
    }
    if (type != event::coll_api && type != event::p2p_api) return;
    rule(is_name(read<const char*>(event, 24)) && is_type_name(read<const char*>(event, 40)), "a call unnamed", type);
    rule(read<std::size_t>(event, 32) < huge, "a call of absurd size", type);
    rule(read<std::uint8_t>(event, type == event::coll_api ? 64 : 56) <= 1, "a call captured by half", type);
}

template <int version> void check_fields(const void* event, std::uint64_t type) {
    if (type == event::coll) check_coll<version>(event);
    if (type == event::p2p) check_p2p<version>(event);
    if (type == event::proxy_op) {
        rule(read<int>(event, 24) > 0 && read<int>(event, 36) > 0, "an empty ProxyOp", 0);
        rule(read<int>(event, 40) > 0 && read<int>(event, 44) >> 1 == 0, "a ProxyOp out of range", 0);
    }
    if (type == event::proxy_step) rule(read<int>(event, 24) >= 0, "a ProxyStep without number", 0);
    if (version >= 4 && type == event::kernel_ch) rule(read<std::uint64_t>(event, 32) > an_epoch_ns, "a timer", 0);
    if (version >= 5) check_api(event, type);
    if (type == event::ce_coll) rule(is_name(read<const char*>(event, 32)), "a CeColl without name", 0);
}

// Whether the state `next` may follow the state `last` on an event of this type.
bool may_follow(std::uint64_t type, int last, int next) {
    namespace state = abi::state;
    if (next == state::unknown) return true;
    switch (type) {
    case event::group_api:
        return next == (last == no_state ? state::group_start_stop : state::group_end_start) &&
               last != state::group_end_start;
    case event::kernel_ch:
        return next == state::kernel_ch_stop && last == no_state;
    case event::proxy_op:
        return next <= state::op_recv_done || (next == state::op_in_progress && last == no_state);
    case event::net_plugin:
        return next == state::net_update;
    case event::proxy_ctrl:
        if (next == state::ctrl_wakeup) return last == state::ctrl_sleep;
        if (next == state::ctrl_append_end) return last == state::ctrl_append;
        return last == no_state && next >= state::ctrl_idle && next <= state::ctrl_append_end;
    case event::proxy_step:
        if (next == state::send_gpu_wait || next == state::recv_wait) return last == no_state;
        if (next == state::send_peer_wait) return last == state::send_gpu_wait;
        if (next == state::send_wait) return last == state::send_peer_wait || last == state::send_gpu_wait;
        if (next == state::recv_flush_wait) return last == state::recv_wait;
        return next == state::recv_gpu_wait && last == state::recv_flush_wait;
    default:
        return false;
    }
}

int begin(void** context, int* mask, int version, int events) {
    rule(*context == nullptr, "init with a context", 0);
    add(inits);
    version_used.store(version, std::memory_order_relaxed);
    *context = &a_context;
    const char* const wanted = std::getenv("PROBE_PLUGIN_MASK");
    __atomic_store_n(mask, wanted != nullptr ? std::atoi(wanted) : events, __ATOMIC_RELAXED);
    return 0;
}

void check_identity(int nodes, int ranks, int rank, abi::Logger logger) {
    rule(nodes >= 1 && ranks >= 1 && rank >= 0 && rank < ranks && logger != nullptr, "an init out of range", 0);
}

int init_v3(void** context, int* mask) { return begin(context, mask, 3, abi::all_events_v3); }

int init_v4(void** context, int* mask, const char*, std::uint64_t, int nodes, int ranks, int rank, abi::Logger logger) {
    check_identity(nodes, ranks, rank, logger);
    return begin(context, mask, 4, abi::all_events_v4);
}

int init_v5(void** context, std::uint64_t, int* mask, const char*, int nodes, int ranks, int rank, abi::Logger logger) {
    check_identity(nodes, ranks, rank, logger);
    return begin(context, mask, 5, abi::all_events_v5);
}

int init_v6(void** context, std::uint64_t, int* mask, const char*, int nodes, int ranks, int rank, abi::Logger logger) {
    check_identity(nodes, ranks, rank, logger);
    return begin(context, mask, 6, abi::all_events_v6);
}

// In versions 3 and 4 the type is a byte, and garbage follows it.
template <int version> int start_version(void* context, void** handle, const void* event) {
    const std::uint64_t type = version < 5 ? read<std::uint8_t>(event, 0) : read<std::uint64_t>(event, 0);
    const bool known = std::has_single_bit(type) && type <= event::unknown;
    *handle = nullptr;
    rule(known, "a type that is no bit", type);
    if (!known) return 0;
    add(starts.at(static_cast<std::size_t>(std::countr_zero(type))));
    if (context == nullptr) add(null_contexts);
    check_parent(type, read<const void*>(event, 8), version >= 5);
    check_rank(type, read<int>(event, 16));
    check_fields<version>(event, type);
    const std::size_t number = used.fetch_add(1, std::memory_order_acq_rel);
    if (number >= most_records) return 0;
    Record& record = records[number];
    if (version >= 4 && type == event::kernel_ch) store(record.timer, read<std::uint64_t>(event, 32));
    store(record.open, true);
    store(record.type, type, std::memory_order_release);
    *handle = reinterpret_cast<void*>(number + 1);
    return 0;
}

int start(void* context, void** handle, abi::DescriptorV3* event) { return start_version<3>(context, handle, event); }
int start(void* context, void** handle, abi::DescriptorV4* event) { return start_version<4>(context, handle, event); }
int start(void* context, void** handle, abi::DescriptorV5* event) { return start_version<5>(context, handle, event); }
int start(void* context, void** handle, abi::DescriptorV6* event) { return start_version<6>(context, handle, event); }

// Returns the open record of the handle. If the handle is dead or NULL, that is counted, and the result is nullptr.
Record* open_record(const void* handle) {
    if (handle == nullptr) {
        add(null_handles);
        return nullptr;
    }
    Record* const record = record_of(handle);
    rule(record != nullptr, "a handle that was never given", reinterpret_cast<std::uintptr_t>(handle));
    if (record == nullptr) return nullptr;
    if (load(record->open)) return record;
    add(dead);
    return nullptr;
}

int stop(void* handle) {
    const std::uint64_t type = type_of(handle);
    if (type != 0) add(stops.at(static_cast<std::size_t>(std::countr_zero(type))));
    Record* const record = open_record(handle);
    if (record != nullptr) store(record->open, false);
    return 0;
}

int any_state(void* handle, int state, const std::uint64_t* timer) {
    add(recorded[static_cast<std::size_t>(state) % states]);
    Record* const record = open_record(handle);
    if (record == nullptr) return 0;
    const std::uint64_t type = load(record->type);
    rule(may_follow(type, load(record->state_after) - 1, state), "a state out of order",
         type * 1000 + static_cast<std::uint64_t>(state));
    store(record->state_after, state + 1);
    if (state == abi::state::kernel_ch_stop)
        rule(timer != nullptr && *timer >= load(record->timer), "a kernel that stops before it starts", type);
    return 0;
}

int state(void* handle, int state, abi::StateArgsV3*) { return any_state(handle, state, nullptr); }

int state(void* handle, int state, abi::StateArgs* args) {
    const std::uint64_t timer = args != nullptr ? read<std::uint64_t>(args, 0) : 0;
    return any_state(handle, state, args != nullptr ? &timer : nullptr);
}

int finalize(void* context) {
    rule(context != nullptr, "a finalize without context", 0);
    add(finalizes);
    return 0;
}

unsigned long long value(const std::atomic<std::uint64_t>& count) { return count.load(std::memory_order_relaxed); }

// Written with a single write(), because forked processes share stderr.
class Line {
  public:
    [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
        va_list values;
        va_start(values, format);
        const int written = std::vsnprintf(text_.data() + length_, text_.size() - length_, format, values);
        va_end(values);
        length_ = std::min(text_.size() - 1, length_ + static_cast<std::size_t>(std::max(written, 0)));
    }
    void print() const { std::fputs(text_.data(), stderr); }

  private:
    std::array<char, 2048> text_{};
    std::size_t length_ = 0;
};

[[gnu::destructor]] void print() {
    const char* const wanted = std::getenv("PROBE_PLUGIN");
    if ((wanted != nullptr && std::strcmp(wanted, "quiet") == 0) || value(inits) == 0) return;
    Line line;
    line.add("probe: v%d init %llu finalize %llu dead %llu null %llu nullctx %llu broken %llu",
             version_used.load(std::memory_order_relaxed), value(inits), value(finalizes), value(dead),
             value(null_handles), value(null_contexts), value(broken));
    for (std::size_t bit = 0; bit < event_bits; ++bit)
        if (value(starts[bit]) != 0) line.add(" %zu:%llu/%llu", bit, value(starts[bit]), value(stops[bit]));
    for (std::size_t state = 0; state < states; ++state)
        if (value(recorded[state]) != 0) line.add(" s%zu:%llu", state, value(recorded[state]));
    line.add("\n");
    line.print();
}

} // namespace

extern "C" {
[[gnu::visibility("default")]] abi::PluginV3 ncclProfiler_v3{"probe", init_v3, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV4 ncclProfiler_v4{"probe", init_v4, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV5 ncclProfiler_v5{"probe", init_v5, start, stop, state, finalize};
[[gnu::visibility("default")]] abi::PluginV6 ncclProfiler_v6{"probe", init_v6, start, stop, state, finalize};
}
