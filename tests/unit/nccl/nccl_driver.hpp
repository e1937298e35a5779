// Drives an Assembly as the drainer does, and keeps what it stores.
#pragma once

#include "collector/nccl/abi.hpp"
#include "collector/nccl/assembly.hpp"
#include "collector/nccl/words.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <vector>

namespace tactus::nccl {

struct Stored {
    TraceRows::Row row;
    Record record;
    NcclTag tag;
    NcclWork work;
};

class KeptRows final : public TraceRows {
  public:
    Row add(const std::string& name) override {
        names.push_back(name);
        return static_cast<Row>(names.size() - 1);
    }
    void store(Row row, const Record& record, std::span<const std::int64_t> list) override {
        stored.push_back({row, record, NcclTag::of(record.what.tag), NcclWork::from(list)});
    }
    void define(const Definitions& more) override {
        symbols.insert(symbols.end(), more.symbols.begin(), more.symbols.end());
        comms.insert(comms.end(), more.nccl_comms.begin(), more.nccl_comms.end());
    }
    void count(Loss loss, std::uint64_t count) override { lost[static_cast<std::size_t>(loss)] += count; }

    [[nodiscard]] std::uint64_t invalid() const { return lost[static_cast<std::size_t>(Loss::nccl_invalid)]; }
    [[nodiscard]] std::string name_of(const Stored& row) const {
        for (const Symbol& symbol : symbols)
            if (symbol.number == row.record.what.type) return symbol.name;
        return "";
    }
    [[nodiscard]] std::vector<Stored> of(NcclKind kind) const {
        std::vector<Stored> those;
        for (const Stored& row : stored)
            if (row.tag.kind == kind) those.push_back(row);
        return those;
    }

    std::vector<std::string> names;
    std::vector<Stored> stored;
    std::vector<Symbol> symbols;
    std::vector<NcclComm> comms;
    std::array<std::uint64_t, loss_count> lost{};
};

// A tick is a nanosecond. The GPU's clock is ahead by `gpu`.
class Driver {
  public:
    static constexpr std::int64_t gpu = 1'000'000'000'000;
    static constexpr unsigned user = 0; // numbers of rings
    static constexpr unsigned proxy = 1;

    explicit Driver(int version = 6, std::uint64_t wanted = events_of(6)) : contexts_{std::make_unique<Contexts>()} {
        contexts_->make(0x1234'5678'9abc'0000);
        static_cast<void>(contexts_->add({.id = 77, .ranks = 4, .nodes = 1, .rank = 1, .version = version}));
        assembly_ =
            std::make_unique<Assembly>(rows, *contexts_, wanted, [](unsigned ring) { return std::to_string(ring); });
        assembly_->set_scale({});
    }

    // All later events are of this communicator.
    void begin_communicator(const Context& about) { context = Contexts::index(contexts_->add(about)); }
    void end_communicator() {
        nccl::Event event;
        event.tick = tick += 100;
        event.context = context;
        event.moment = Moment::finalize;
        assembly_->take(event, user);
    }
    std::uint64_t start(std::uint64_t type, std::uint64_t parent, Event event = {}, unsigned ring = user) {
        event.tick = tick += 100;
        event.moment = Moment::start;
        event.id = Token::of(ring, ++number_, static_cast<unsigned>(std::countr_zero(type)), false).bits;
        event.parent = parent;
        if (event.context == 0) event.context = context;
        assembly_->take(event, ring);
        return event.id;
    }
    void stop(std::uint64_t id, unsigned ring = user) {
        nccl::Event event;
        event.tick = tick += 100;
        event.id = id;
        event.moment = Moment::stop;
        assembly_->take(event, ring);
    }
    // A channel that works from `begin` to `end` on the CPU's clock. It is reported at the end.
    void channel(std::uint64_t operation, std::uint8_t channel, std::int64_t begin, std::int64_t end) {
        tick = std::max<Ticks>(tick, static_cast<Ticks>(begin) + 50);
        const std::uint64_t id = start(event::kernel_channel, operation, stamp(channel, begin), proxy);
        tick = std::max<Ticks>(tick, static_cast<Ticks>(end) + 50);
        told(id, end);
        stop(id, proxy);
    }
    static Event stamp(std::uint8_t channel, std::int64_t begin) {
        nccl::Event event;
        event.channels = channel;
        event.gpu_stamp = static_cast<std::uint64_t>(begin + gpu);
        return event;
    }
    void told(std::uint64_t id, std::int64_t end) {
        nccl::Event event;
        event.tick = tick += 10;
        event.id = id;
        event.moment = Moment::state;
        event.state = state::kernel_channel_stop;
        event.gpu_stamp = static_cast<std::uint64_t>(end + gpu);
        assembly_->take(event, proxy);
    }
    static Event coll(std::uint8_t channels, std::uint64_t sequence, std::uint64_t plan) {
        nccl::Event event;
        event.func = word::all_reduce;
        event.datatype = words.code("ncclFloat32");
        event.count = 1000;
        event.channels = channels;
        event.sequence = sequence;
        event.plan = plan;
        return event;
    }
    static Event p2p(Word func, std::int32_t peer, std::uint64_t plan) {
        nccl::Event event;
        event.func = func;
        event.datatype = words.code("ncclInt8");
        event.count = 100;
        event.peer = peer;
        event.channels = 1;
        event.plan = plan;
        return event;
    }
    // A whole call of one collective on two channels.
    std::uint64_t all_reduce(std::uint64_t sequence) {
        const std::uint64_t call = start(event::group_api, 0, depth(1));
        const std::uint64_t api = start(event::coll_api, call, coll(0, 0, 0));
        stop(api);
        const std::uint64_t launch = start(event::kernel_launch, call);
        stop(launch);
        const std::uint64_t plan = start(event::group, 0);
        const std::uint64_t id = start(event::coll, api, coll(2, sequence, plan));
        stop(id);
        stop(plan);
        stop(call);
        return id;
    }
    // The same with its kernel, and stored. Returns when the kernel began.
    std::int64_t whole_all_reduce(std::int64_t length) {
        const std::uint64_t id = all_reduce(0);
        const auto begin = static_cast<std::int64_t>(tick) + 1000;
        channel(id, 0, begin, begin + length);
        channel(id, 1, begin, begin + length);
        settle();
        return begin;
    }
    void kernel(const GpuKernel& kernel) { assembly_->kernel(kernel); }
    [[nodiscard]] std::uint64_t without_kernel() const { return assembly_->without_kernel(); }
    static Event depth(std::int32_t depth) {
        nccl::Event event;
        event.depth = depth;
        return event;
    }
    void take(const nccl::Event& event) { assembly_->take(event, proxy); }
    void settle() { assembly_->settle(tick += 1'100'000'000); }
    void end() { assembly_->end(tick += 1); }

    KeptRows rows;
    Ticks tick = 1'000'000;
    std::uint32_t context = 0;

  private:
    std::unique_ptr<Contexts> contexts_;
    std::unique_ptr<Assembly> assembly_;
    std::uint64_t number_ = 0;
};

} // namespace tactus::nccl
