// Runs of a few calls whose waits one can count by hand.
#pragma once

#include "postproc/waits/run_waits.hpp"
#include "tests/unit/made/make_trace.hpp"

#include <string>
#include <vector>

namespace tactus {

// A run with one thread for each rank. All ranks leave MPI_Init at 0.1 us.
struct RunByHand {
    std::vector<MadeRank> ranks;

    explicit RunByHand(std::uint32_t size);
    void add(std::uint32_t rank, MadeRecord made);
    // Writes the trace, and returns its path.
    [[nodiscard]] std::string write(const TestFolder& folder) const;
    // The waits of the run after it was finished.
    [[nodiscard]] RunWaits waits() const;
};

// Each writes a trace, and returns its path.

// Rank 1 computes for 60 of 100 us, while rank 0 waits for its message. Then both end.
std::string late_sender(const TestFolder& folder);

// Rank 0 computes for 60 us and sends to rank 1. Rank 1, which had waited, computes for 10 us and sends to rank 2,
// which also had waited, and ends last.
std::string chain(const TestFolder& folder);

} // namespace tactus
