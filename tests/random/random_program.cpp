/* A random legal MPI program for every seed. Usage: random_program FIRST_SEED COUNT. All ranks draw the same plan from
 * a seed and execute it, with choices that differ by rank and must not matter. Every rank checks everything that it
 * receives. Rank 0 prints one line for each seed, which is the same in every run and with every MPI. */
#include "exchange.hpp"
#include "send.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

void begin(std::uint64_t seed) {
    here.seed = seed;
    here.hash = 0;
    here.next_tag = first_tag;
    here.plan = Random(mix(seed, 1));
    here.choice = Random(mix(seed, 2, here.rank));
}

void run_seed() {
    Communicators comms;
    for (int i = here.plan.between(1, 5); i > 0; i--) comms.make_some();
    for (int i = here.plan.between(1, 5); i > 0; i--) {
        run_exchange(comms);
        comms.free_some();
        if (here.plan.coin()) comms.make_some();
    }
    must(MPI_Barrier(MPI_COMM_WORLD)); // after this, nobody needs the buffers of freed sends
    unwatched.clear();
}

void print_result() {
    std::vector<std::uint64_t> hashes(static_cast<std::size_t>(here.size));
    must(MPI_Gather(&here.hash, 1, MPI_UINT64_T, hashes.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    if (here.rank != 0) return;
    std::uint64_t hash = 0;
    for (std::uint64_t of_rank : hashes) hash = mix(hash, of_rank);
    std::printf("seed %llu: %016llx, %d tags\n", static_cast<unsigned long long>(here.seed),
                static_cast<unsigned long long>(hash), here.next_tag - first_tag);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: random_program FIRST_SEED COUNT\n"), 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    here.program = argv[0];
    must(MPI_Comm_rank(MPI_COMM_WORLD, &here.rank));
    must(MPI_Comm_size(MPI_COMM_WORLD, &here.size));
    const std::uint64_t first = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
    for (std::uint64_t seed = first; seed < first + count; seed++) {
        begin(seed);
        run_seed();
        print_result();
    }
    must(MPI_Finalize());
}
