// What NCCL knows of a communicator. It lives as long as the library, because contexts and cells outlast their
// communicator.
#pragma once

#include "callbacks.hpp"
#include "options.hpp"
#include "truth.hpp"
#include "worker.hpp"

#include <array>
#include <deque>
#include <memory>
#include <random>
#include <unordered_map>

namespace tactus::fake_nccl {

class Progress;

enum class Func : std::uint8_t { all_reduce, broadcast, reduce, reduce_scatter, all_gather, send, recv };

[[nodiscard]] constexpr const char* name_of(Func func) {
    constexpr std::array names{"AllReduce", "Broadcast", "Reduce", "ReduceScatter", "AllGather", "Send", "Recv"};
    return names[static_cast<std::size_t>(func)];
}

[[nodiscard]] constexpr bool is_p2p(Func func) { return func == Func::send || func == Func::recv; }

struct CommState {
    CommState(const CommunicatorOptions& wanted, std::uint64_t seed)
        : options(wanted), name(wanted.name.value_or("")), identity{.name = wanted.name ? name.c_str() : nullptr,
                                                                    .id = wanted.id,
                                                                    .nodes = wanted.nodes,
                                                                    .ranks = wanted.ranks,
                                                                    .rank = wanted.rank},
          random(seed ^ (wanted.id * 31 + static_cast<std::uint64_t>(wanted.rank))) {}

    const CommunicatorOptions options;
    std::string name;
    Identity identity;
    void* context = nullptr;
    std::atomic<bool> finalized{false};
    Progress* progress = nullptr; // nullptr with one rank

    // Guards the members up to works: the user's thread and the host-callback thread both launch.
    std::mutex launch_mutex;
    std::mt19937_64 random;
    std::array<std::uint64_t, 8> next_sequence{};
    std::uint64_t next_ce_sequence = 0;
    std::int64_t stream_free_ns = 0;                        // when the last kernel ends
    std::unordered_map<int, std::uint64_t> next_on_channel; // the GPU's work counters

    // All kernels of a channel, by work counter. Used by the progress thread alone, and only with ring_entries.
    struct Work {
        std::int64_t start_ns, stop_ns;
    };
    std::unordered_map<int, std::deque<Work>> works;

    std::atomic<std::int64_t> outstanding{0}; // posted to the progress thread and not yet done
    std::unique_ptr<Worker> launcher;         // only of a non-blocking communicator
};

} // namespace tactus::fake_nccl
