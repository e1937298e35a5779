#include "piggyback/mpi/collective_delay.hpp"

#include "base/thread_state_kept.hpp"
#include "piggyback/delay.hpp"
#include "piggyback/mpi/delays.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

namespace tactus {

namespace {

// How long tactus's collectives take from the entry of the last rank: the quickest so far, by kind and by number of
// ranks (rounded to a power of 2). A slower one, for example because a rank lost its core, counts as the quickest:
// the same would have happened to the program's own collective.
constexpr std::size_t patterns = 8;
constexpr std::size_t powers = 32;
constinit std::atomic<double> quickest_ns[patterns][powers]; // 0: none yet

// Returns the smaller of `ns` and the quickest so far, and stores it.
double quickest(Pattern pattern, int size, double ns) {
    std::atomic<double>& least = quickest_ns[static_cast<std::size_t>(pattern)]
                                            [static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(size)) - 1)];
    const double before = least.load(std::memory_order_relaxed);
    if (before == 0 || ns < before) least.store(ns, std::memory_order_relaxed);
    return before == 0 ? ns : std::min(before, ns);
}

} // namespace

// All members must make the same decision here, or tactus's collective would hang. So the decision depends only on the
// communicator, the kind of call, and the root, which MPI requires to be the same on all members.
void CollectiveDelay::gather(MPI_Comm comm, Pattern pattern, int root) {
    if (!call_.is_applications() || !is_closed(comm)) return;
    const DefaultFloats floats;
    int between_two = 0;
    int size = 0;
    int rank = 0;
    pmpi.Comm_test_inter(comm, &between_two);
    pmpi.Comm_size(comm, &size);
    pmpi.Comm_rank(comm, &rank);
    if (between_two != 0 || root < 0 || root >= size) return;
    const OnlineClock* const clock = piggyback_host.clock_now();
    if (clock == nullptr) return;
    before_ = delay_now(call_.counts());
    const Ticks begin = now();
    const double entered = clock->at(call_.recorded() ? call_.since() : begin);
    own_ = {entered, entered - before_};
    others_ = own_;
    constexpr int values = 2;
    switch (pattern) {
    case Pattern::barrier:
    case Pattern::all_to_all:
        pmpi.Allreduce(&own_, &others_, values, handle.DOUBLE, handle.MAX, comm);
        waits_ = true;
        break;
    case Pattern::one_to_all:
        pmpi.Bcast(&others_, values, handle.DOUBLE, root, comm);
        waits_ = rank != root;
        break;
    case Pattern::all_to_one:
        pmpi.Reduce(&own_, &others_, values, handle.DOUBLE, handle.MAX, root, comm);
        waits_ = rank == root;
        break;
    case Pattern::prefix:
        pmpi.Exscan(&own_, &others_, values, handle.DOUBLE, handle.MAX, comm);
        waits_ = rank > 0;
        break;
    default:
        return;
    }
    const double waited_until = waits_ ? std::max(clock->at(begin), others_.entered) : clock->at(begin);
    if (clock->agrees(others_.entered))
        own_ns_ = quickest(pattern, size, std::max(1.0, clock->at(now()) - waited_until));
    exchanged_ = call_.recorded();
}

void CollectiveDelay::take_over() {
    const DefaultFloats floats;
    const OnlineClock* const clock = piggyback_host.clock_now();
    double after = before_;
    if (waits_ && clock->agrees(others_.entered)) {
        after = delay_after_messages(before_, own_.entered, others_.entered, others_.undelayed);
        call_.counts()->count(DelayBasis::clocks);
    } else if (waits_) {
        call_.counts()->count(DelayBasis::nothing);
    }
    after += own_ns_;
    late_by(after - before_);
    note_delay(call_, before_, after);
}

} // namespace tactus
