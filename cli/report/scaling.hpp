// How a program scales: its computation and its efficiency in several runs, against the first of them (POP,
// https://pop-coe.eu/node/69).
#pragma once

#include "postproc/waits/run_waits.hpp"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct ScaledRun {
    std::string trace;
    std::size_t ranks = 0;
    double wall_s = 0;
    double computed_s = 0;               // of all ranks outside of MPI
    std::optional<double> parallel = {}; // efficiency
    // Against the first run:
    double speedup = 1;                     // of the time from MPI_Init to MPI_Finalize
    std::optional<double> computation = {}; // scaling: what all ranks of that run computed / what those of this one did
    // parallel efficiency x scaling of computation
    [[nodiscard]] std::optional<double> global() const {
        if (!parallel || !computation) return {};
        return *parallel * *computation;
    }
};

ScaledRun scaled_run(const std::string& trace, const RunWaits& waits);
// Sets what is against the first run. `weak`: a run computes in proportion to its ranks.
void find_scaling(std::vector<ScaledRun>& runs, bool weak);

void print_scaling(const std::vector<ScaledRun>& runs);
nlohmann::ordered_json scaling_json(const std::vector<ScaledRun>& runs);

} // namespace tactus
