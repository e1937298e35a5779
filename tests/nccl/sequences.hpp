// The sequences of NCCL calls that nccl_host can run. Each does something that plugins get wrong.
#pragma once

#include "tests/nccl/fake_nccl/storm.hpp"

#include <string>
#include <string_view>

namespace tactus::fake_nccl {

struct Wanted {
    LibraryOptions library{};
    GpuClock::Settings clock{};
    std::size_t operations = 0; // 0: the number that the sequence usually does
    int processes = 0;          // 0: 2 to 4, depending on the seed
    bool plugin_fails = false;  // for init_failure: the plugin's init fails, so the host's need not
    std::string truth{};        // path of a file, or ""
};

// What a sequence has to work with.
struct Stage {
    Library& library;
    const Wanted& wanted;
    bool leave_running = false; // exit with threads and communicators left as they are

    [[nodiscard]] std::size_t operations(std::size_t usual) const {
        return wanted.operations != 0 ? wanted.operations : usual;
    }
    // Options of a communicator on the GPU of this rank.
    [[nodiscard]] CommunicatorOptions comm(std::uint64_t id, int rank, int ranks) const;
};

using Sequence = void (*)(Stage&);

inline constexpr int least_processes = 2, most_processes = 8;

void init_all_sequence(Stage& stage);
void grouped_p2p(Stage& stage);
void all_to_all(Stage& stage);
void split(Stage& stage);
void non_blocking(Stage& stage);
void graph(Stage& stage);
void many(Stage& stage);
void steady(Stage& stage);
void reload(Stage& stage);

void pxn(Stage& stage);
void init_failure(Stage& stage);
void in_flight(Stage& stage);
void kernel_race(Stage& stage);
void mask_changes(Stage& stage);
void copy_engine(Stage& stage);
void net_plugin(Stage& stage);
void coll_net(Stage& stage);
void blind_spots(Stage& stage);
void forked(Stage& stage);

// The result of a run. For the sequence that forks, it counts all its processes together.
struct Outcome {
    Totals totals{};
    std::uint64_t operations = 0;
    int plugin_version = 0; // 0: none was loaded
    int loads = 0;
    bool failed = false;
};

[[nodiscard]] Outcome outcome_of(const Library& library);
[[nodiscard]] Outcome run_processes(const Wanted& wanted);

} // namespace tactus::fake_nccl
