// The content of records of kind nccl: what NCCL did, when its kernels ran on the GPU, and how much of that is known.
// The NCCL plugin writes them (collector/nccl). Pure.
//
// The `type` of such a record is the symbol that names it ("NCCL:AllReduce"), `bytes` is what it moved, `peer` is the
// peer or the root in NCCL's communicator, and `tag` is an NcclTag. Its words are an NcclWork without the zeros at its
// end. Enter and leave are the rank's ticks. For operations with a span, the GPU began and ended then; for all others,
// the callbacks of their begin and end came then.
#pragma once

#include "trace/record.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tactus {

enum class NcclKind : std::uint8_t {
    group_api, // the application's call, or its ncclGroupStart to ncclGroupEnd
    coll_api,
    p2p_api,
    kernel_launch,
    coll, // operations
    p2p,
    group,     // operations that were launched together
    copy_coll, // by copy engines
    proxy_op,
    proxy_step,
    proxy_control,
    net,
    copy_sync,
    copy_batch,
    kernel, // as CUPTI saw it
};
struct NcclKindText {
    const char* name;
    const char* meaning;
};
inline constexpr auto nccl_kinds = std::to_array<NcclKindText>({{"group_api", "call, or group of calls"},
                                                                {"coll_api", "call of a collective"},
                                                                {"p2p_api", "call of a send or receive"},
                                                                {"kernel_launch", "launch of a kernel"},
                                                                {"coll", "collective"},
                                                                {"p2p", "send or receive"},
                                                                {"group", "operations launched together"},
                                                                {"copy_coll", "collective by copy engines"},
                                                                {"proxy_op", "work of the proxy thread"},
                                                                {"proxy_step", "step of such work"},
                                                                {"proxy_control", "state of the proxy thread"},
                                                                {"net", "transfer by the network"},
                                                                {"copy_sync", "synchronization of copies"},
                                                                {"copy_batch", "batch of copies"},
                                                                {"kernel", "kernel of the GPU"}});
constexpr bool is_operation(NcclKind kind) { return kind >= NcclKind::coll && kind <= NcclKind::copy_coll; }

// How much of an operation is known.
enum class NcclSpan : std::uint8_t {
    none,         // not an operation
    full,         // all its channels reported when they began and ended
    partial,      // some of its channels did
    proxy,        // none did; the span goes from its enqueueing to the end of the proxy thread's work for it
    enqueue_only, // only the time of its enqueueing is known, so it is not drawn
};
inline constexpr auto nccl_spans = std::to_array<const char*>({"", "full", "partial", "proxy", "enqueue-only"});

struct NcclTag {
    NcclKind kind{};
    NcclSpan span{};
    std::uint8_t flags = 0;

    static constexpr std::uint8_t drawn = 1;      // drawn on its row; other records describe the same time again
    static constexpr std::uint8_t batched = 2;    // one kernel did it with others, and its span is theirs
    static constexpr std::uint8_t overrun = 4;    // stamps of another operation were given as its own, and left out
    static constexpr std::uint8_t host_times = 8; // no stamps of the GPU, only times of callbacks
    static constexpr std::uint8_t foreign = 16;   // done for another process, which `pid` and `parent` identify
    static constexpr std::uint8_t captured = 32;  // recorded into a CUDA graph
    static constexpr std::uint8_t sends = 64;     // for proxy work: it sends
    static constexpr std::uint8_t cut = 128;      // its end was never reported

    [[nodiscard]] bool has(std::uint8_t bits) const { return (flags & bits) == bits; }
    [[nodiscard]] std::int32_t packed() const {
        return static_cast<std::int32_t>(kind) | static_cast<std::int32_t>(span) << 8 | flags << 16;
    }
    static NcclTag of(std::int32_t tag) {
        return {.kind = static_cast<NcclKind>(tag & 0xff),
                .span = static_cast<NcclSpan>((tag >> 8) & 0xff),
                .flags = static_cast<std::uint8_t>(tag >> 16)};
    }
    // False for a tag that only a damaged file can hold.
    [[nodiscard]] bool is_sound() const {
        return static_cast<std::size_t>(kind) < nccl_kinds.size() && static_cast<std::size_t>(span) < nccl_spans.size();
    }
};

struct NcclWork {
    std::int64_t comm = 0;     // number of the NcclComm in this rank's file
    std::int64_t handle = 0;   // its number in its process, by which other records refer to it
    std::int64_t sequence = 0; // number of a collective among those of its function in its communicator; of a group of
                               // sends and receives, among those of its name
    std::int64_t datatype = 0; // symbols, as the next two; 0: not reported
    std::int64_t algorithm = 0;
    std::int64_t protocol = 0;
    std::int64_t channels = 0; // how many do it; 0: not reported
    std::int64_t warps = 0;
    // Ticks relative to enter.
    std::int64_t called = 0;   // when the application's call began
    std::int64_t launched = 0; // when its kernel was launched
    std::int64_t enqueued = 0; // when its enqueueing began
    std::int64_t posted = 0;   // when its enqueueing ended
    // In nanoseconds by the GPU's clock; 0: not known.
    std::int64_t gpu_start = 0;  // start of the first channel
    std::int64_t gpu_stop = 0;   // stop of the last channel
    std::int64_t within_ns = 0;  // bound on the error of enter
    std::int64_t skew_ns = 0;    // from the start of the first channel to that of the last
    std::int64_t longest_ns = 0; // time of the longest channel
    std::int64_t started = 0;    // channels that reported their start
    std::int64_t stopped = 0;    // channels that reported their stop
    std::int64_t group = 0;      // handle of the group that it was launched with
    std::int64_t sends = 0;      // number in a group
    std::int64_t receives = 0;   // number in a group
    // For proxy work and what is below it.
    std::int64_t parent = 0; // handle of what it is part of; for operations and kernels, of their launch
    std::int64_t pid = 0;    // the process that it is done for
    std::int64_t channel = 0;
    std::int64_t step = 0;   // number of the step, or how many steps
    std::int64_t detail = 0; // chunk size; state of the proxy thread; device of the network; stream of a kernel
    std::int64_t waited = 0; // ticks in which a step waited for the GPU or its peer

    static constexpr void fields(auto& self, auto&& field) {
        field("comm", self.comm);
        field("handle", self.handle);
        field("sequence", self.sequence);
        field("datatype", self.datatype);
        field("algorithm", self.algorithm);
        field("protocol", self.protocol);
        field("channels", self.channels);
        field("warps", self.warps);
        field("called", self.called);
        field("launched", self.launched);
        field("enqueued", self.enqueued);
        field("posted", self.posted);
        field("gpu_start", self.gpu_start);
        field("gpu_stop", self.gpu_stop);
        field("within_ns", self.within_ns);
        field("skew_ns", self.skew_ns);
        field("longest_ns", self.longest_ns);
        field("started", self.started);
        field("stopped", self.stopped);
        field("group", self.group);
        field("sends", self.sends);
        field("receives", self.receives);
        field("parent", self.parent);
        field("pid", self.pid);
        field("channel", self.channel);
        field("step", self.step);
        field("detail", self.detail);
        field("waited", self.waited);
    }

    static constexpr std::size_t most_words = 28;
    // Writes the words to `to` without the zeros at the end, and gives their number.
    std::size_t put(std::int64_t* to) const {
        std::size_t count = 0;
        std::size_t last = 0;
        fields(*this, [&](const char*, std::int64_t value) {
            to[count++] = value;
            if (value != 0) last = count;
        });
        return last;
    }
    static NcclWork from(std::span<const std::int64_t> words) {
        NcclWork work;
        std::size_t at = 0;
        fields(work, [&](const char*, std::int64_t& value) {
            if (at < words.size()) value = words[at++];
        });
        return work;
    }
};

// One of NCCL's communicators, as this process took part in it.
struct NcclComm {
    std::uint32_t number = 0; // in this rank's records, from 1
    std::uint64_t id = 0;     // the same on all its ranks; 0: NCCL does not give it
    std::string name;
    std::uint32_t ranks = 0;
    std::uint32_t nodes = 0;
    std::uint32_t rank = 0;      // of this process in the communicator
    std::int32_t device = -1;    // CUDA's number; -1: not known
    std::uint32_t interface = 0; // version of NCCL's profiler interface
    static constexpr void fields(auto& self, auto&& field) {
        field("number", self.number);
        field("id", self.id);
        field("name", self.name);
        field("ranks", self.ranks);
        field("nodes", self.nodes);
        field("rank", self.rank);
        field("device", self.device);
        field("interface", self.interface);
    }
};

// Symbols of NCCL's words have numbers from here on, so that they are never the application's.
constexpr std::uint32_t first_nccl_symbol = 1U << 30;

} // namespace tactus
