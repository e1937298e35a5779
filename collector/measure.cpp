// Measures what recording costs in this process: it compares batches of a local call that is recorded with batches of
// the same call unrecorded.
#include "collector/session.hpp"
#include "collector/thread.hpp"

#include <algorithm>

extern "C" int tactus_probe_entry(MPI_Comm comm, int* rank); // the exported MPI_Comm_rank itself

namespace tactus {
namespace {

constexpr std::size_t batches = 20;
constexpr std::size_t calls_per_batch = 100;
static_assert(batches * calls_per_batch < slots_per_buffer, "the trial lane is thrown away before it would be sealed");

template <class F> Ticks fastest_batch(MPI_Comm world, F function) {
    Ticks fastest = ~Ticks{0};
    for (std::size_t batch = 0; batch < batches; ++batch) {
        int rank = 0;
        const Ticks begin = now();
        for (std::size_t i = 0; i < calls_per_batch; ++i) function(world, &rank);
        fastest = std::min(fastest, now() - begin);
    }
    return fastest;
}

} // namespace

double picoseconds_per_tick() {
    const Anchor begin = read_anchor(); // its ticks are of a clock that may be wrong on purpose
    const std::int64_t begun_ns = monotonic_ns();
    while (monotonic_ns() - begun_ns < 1'000'000) {
    }
    const Anchor end = read_anchor();
    if (end.tick <= begin.tick) return 1000;
    return 1e3 * static_cast<double>(end.monotonic_ns - begin.monotonic_ns) /
           static_cast<double>(end.tick - begin.tick);
}

std::uint32_t measure_overhead_ps(MPI_Comm world) {
    const auto trial = Lane::make(session->writer());
    if (trial == nullptr) return 0;
    trial->begin_life(0, 0, 0);
    Lane* const own = thread.lane;
    const std::uint32_t depth = thread.depth;
    thread.lane = trial.get();
    thread.depth = 0;
    thread.keeps_equal_calls = true;
    const Ticks recorded = fastest_batch(world, tactus_probe_entry);
    thread.keeps_equal_calls = false;
    thread.lane = own;
    thread.depth = depth;
    const Ticks bare = fastest_batch(world, pmpi.Comm_rank);
    if (recorded <= bare) return 0;
    const double per_call = static_cast<double>(recorded - bare) / calls_per_batch;
    return static_cast<std::uint32_t>(per_call * picoseconds_per_tick());
}

} // namespace tactus
