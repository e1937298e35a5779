// How a program scales: its computation and its efficiency in several runs, against the first of them (POP,
// https://pop-coe.eu/node/69).
#pragma once

#include "postproc/profile/profile.hpp"
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
    ProcessorCounts counts = {};         // of all ranks outside of MPI and the kernel; zeros: of one it is not known
    // Against the first run:
    double speedup = 1;                     // of the time from MPI_Init to MPI_Finalize
    std::optional<double> computation = {}; // scaling: what all ranks of that run computed / what those of this one did
    std::optional<ComputationScaling> factors = {}; // of its part that was counted; nothing: of one run it is not known
    [[nodiscard]] std::optional<double> factor(double ComputationScaling::*which) const {
        if (!factors) return {};
        return (*factors).*which;
    }
    // parallel efficiency x scaling of computation
    [[nodiscard]] std::optional<double> global() const {
        if (!parallel || !computation) return {};
        return *parallel * *computation;
    }
};

ScaledRun scaled_run(const std::string& trace, const RunWaits& waits, const Profile& profile);
// Sets what is against the first run. `weak`: a run computes in proportion to its ranks.
void find_scaling(std::vector<ScaledRun>& runs, bool weak);

void print_scaling(const std::vector<ScaledRun>& runs);
nlohmann::ordered_json scaling_json(const std::vector<ScaledRun>& runs);

} // namespace tactus
