// The sequence with several processes: children that are the ranks of one communicator; one of them is late once.
#include "sequences.hpp"

#include <cstdlib>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tactus::fake_nccl {
namespace {

constexpr int late_rank = 1;
constexpr std::int64_t period_ns = 500'000, late_ns = 20'000'000, kernel_ns = 50'000, lead_ns = 200'000;

void sleep_until(std::int64_t host_ns) {
    const std::int64_t left_ns = host_ns - host_now_ns();
    if (left_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds{left_ns});
}

// All ranks stop together, so in the late round the others wait in their kernels.
Operation planned(std::int64_t round_ns, bool round_is_late, int rank) {
    const std::int64_t last_start_ns = round_ns + (round_is_late ? late_ns : 0);
    return {.kernel = KernelTimes{.start_ns = rank == late_rank ? last_start_ns : round_ns,
                                  .stop_ns = last_start_ns + kernel_ns,
                                  .spread_ns = 500}};
}

void run_rank(Stage& stage, int rank, int ranks, std::int64_t begin_ns) {
    Communicator comm{stage.library, stage.comm(0x94C, rank, ranks)};
    const auto rounds = static_cast<std::int64_t>(stage.operations(100));
    for (std::int64_t i = 0; i < rounds; ++i) {
        const std::int64_t late_round = rounds / 2;
        const std::int64_t round_ns = begin_ns + i * period_ns + (i > late_round ? late_ns : 0);
        const Operation operation = planned(round_ns, i == late_round, rank);
        sleep_until(operation.kernel->start_ns - lead_ns);
        if (i % 3 == 0) comm.all_reduce(1000, Datatype::float32, operation);
        if (i % 3 == 1) comm.reduce_scatter(1000, Datatype::float32, operation);
        if (i % 3 == 2) comm.all_gather(1000, Datatype::float32, operation);
    }
    comm.destroy();
}

[[noreturn]] void be_child(const Wanted& wanted, int rank, int ranks, std::int64_t begin_ns, Outcome& outcome) {
    for (const char* name : {"RANK", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"})
        setenv(name, std::to_string(rank).c_str(), 1);
    for (const char* name : {"WORLD_SIZE", "LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"})
        setenv(name, std::to_string(ranks).c_str(), 1);
    bool written = true;
    {
        Library library{wanted.library};
        Stage stage{.library = library, .wanted = wanted};
        run_rank(stage, rank, ranks, begin_ns);
        outcome = outcome_of(library);
        if (!wanted.truth.empty()) written = library.truth.write(wanted.truth + "." + std::to_string(rank));
    }
    std::exit(written ? 0 : 1);
}

} // namespace

Outcome run_processes(const Wanted& wanted) {
    const int by_seed = least_processes + static_cast<int>(wanted.library.seed % 3);
    const int ranks = wanted.processes != 0 ? wanted.processes : by_seed;
    constexpr std::int64_t time_to_start_ns = 100'000'000;
    const std::int64_t begin_ns = host_now_ns() + time_to_start_ns;
    void* const shared =
        mmap(nullptr, sizeof(Outcome) * most_processes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return {.failed = true};
    auto* const outcomes = static_cast<Outcome*>(shared);
    std::vector<pid_t> children;
    for (int rank = 0; rank < ranks; ++rank) {
        const pid_t child = fork();
        if (child == 0) be_child(wanted, rank, ranks, begin_ns, outcomes[rank]);
        children.push_back(child);
    }
    Outcome all;
    for (int rank = 0; rank < ranks; ++rank) {
        int status = 0;
        const bool ended = waitpid(children[static_cast<std::size_t>(rank)], &status, 0) > 0;
        all.failed |= !ended || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
        add(all.totals, outcomes[rank].totals);
        all.operations += outcomes[rank].operations;
        all.loads += outcomes[rank].loads;
        all.plugin_version = outcomes[rank].plugin_version;
    }
    munmap(shared, sizeof(Outcome) * most_processes);
    return all;
}

} // namespace tactus::fake_nccl
