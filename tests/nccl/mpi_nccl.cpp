// An MPI program that uses NCCL: every rank drives a fake NCCL. The kernels of a collective begin when their rank
// comes, and end together. Usage: mpi_nccl ROUNDS LATE_RANK LATE_US TRUTH [off]
//
// In every second round the late rank comes LATE_US later. Each rank writes its truth to TRUTH.RANK, in the true times
// of the machine, whatever the tracer is told about its clock.
#include "tests/nccl/fake_nccl/communicator.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mpi.h>
#include <string>
#include <thread>

int main(int argc, char** argv) {
    using namespace tactus::fake_nccl;
    const bool switches_off = argc == 6 && std::string{argv[5]} == "off";
    if (argc != 5 && !switches_off) {
        std::fprintf(stderr, "usage: mpi_nccl ROUNDS LATE_RANK LATE_US TRUTH [off]\n");
        return 2;
    }
    const int rounds = std::atoi(argv[1]);
    const int late_rank = std::atoi(argv[2]);
    const std::chrono::microseconds late{std::atoi(argv[3])};
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Library library{{.seed = static_cast<std::uint64_t>(rank) + 1}};
    Communicator comm{library,
                      {.id = 0x3141,
                       .name = "world",
                       .ranks = ranks,
                       .rank = rank,
                       .gpu = GpuClock{{.offset_ns = 1'700'000'000'000'000'000 + rank * 1'000'003LL,
                                        .drift_ppm = 5.0 * rank,
                                        .granularity_ns = 32}}}};
    // Tracing is switched off in the last quarter, as programs with VT.h do it. Without the collector there is nothing
    // to call.
    const auto trace_off = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "VT_traceoff"));
    constexpr std::int64_t launch_ns = 300'000;
    constexpr std::int64_t transfer_ns = 400'000;
    for (int round = 0; round < rounds; ++round) {
        if (switches_off && trace_off != nullptr && round == rounds / 4 * 3) trace_off();
        MPI_Barrier(MPI_COMM_WORLD);
        const bool is_late = round % 2 == 1 && rank == late_rank;
        const std::int64_t start = host_now_ns() + launch_ns + (is_late ? std::chrono::nanoseconds{late}.count() : 0);
        std::int64_t last = 0;
        MPI_Allreduce(&start, &last, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
        comm.all_reduce(250'000, Datatype::float32, {.kernel = KernelTimes{start, last + transfer_ns, 1000}});
        comm.synchronize();
    }
    comm.destroy();
    const bool written = library.truth.write(std::string{argv[4]} + "." + std::to_string(rank));
    MPI_Finalize();
    return written ? 0 : 1;
}
