#include "base/options/launched_by.hpp"

#include <cstdlib>
#include <initializer_list>

namespace tactus {
namespace {

std::optional<std::uint32_t> number_in_environment(std::initializer_list<const char*> names) {
    for (const char* const name : names) {
        const char* const text = std::getenv(name);
        if (text == nullptr) continue;
        char* end = nullptr;
        const unsigned long number = std::strtoul(text, &end, 10);
        if (end != text && *end == '\0') return static_cast<std::uint32_t>(number);
    }
    return {};
}

// In the script of a batch job the variables of Slurm say what the job has, and no rank.
bool in_step_of_slurm() { return std::getenv("SLURM_STEP_ID") != nullptr; }

} // namespace

std::optional<std::uint32_t> rank_by_launcher() {
    auto rank = number_in_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK",
                                       "PALS_RANKID", "ALPS_APP_PE", "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK", "PMI_ID"});
    if (!rank && in_step_of_slurm()) rank = number_in_environment({"SLURM_PROCID"});
    return rank ? rank : number_in_environment({"RANK"});
}

std::optional<std::uint32_t> ranks_by_launcher() {
    auto ranks = number_in_environment(
        {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE", "JSM_NAMESPACE_SIZE"});
    if (!ranks && in_step_of_slurm()) ranks = number_in_environment({"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"});
    return ranks ? ranks : number_in_environment({"WORLD_SIZE"});
}

} // namespace tactus
