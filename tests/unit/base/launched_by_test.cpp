// The rank and the number of ranks in the environment, as each launcher writes them.
#include "base/options/launched_by.hpp"
#include "tests/unit/made/catch.hpp"

#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

using namespace tactus;

namespace {

using Variables = std::vector<std::pair<const char*, const char*>>;

constexpr const char* all[] = {"OMPI_COMM_WORLD_RANK",
                               "OMPI_COMM_WORLD_SIZE",
                               "PMI_RANK",
                               "PMI_SIZE",
                               "PMI_ID",
                               "PMIX_RANK",
                               "MV2_COMM_WORLD_RANK",
                               "MV2_COMM_WORLD_SIZE",
                               "PALS_RANKID",
                               "ALPS_APP_PE",
                               "FLUX_TASK_RANK",
                               "FLUX_JOB_SIZE",
                               "JSM_NAMESPACE_RANK",
                               "JSM_NAMESPACE_SIZE",
                               "SLURM_PROCID",
                               "SLURM_NTASKS",
                               "SLURM_STEP_ID",
                               "SLURM_STEP_NUM_TASKS",
                               "RANK",
                               "WORLD_SIZE"};

std::pair<std::optional<std::uint32_t>, std::optional<std::uint32_t>> with(const Variables& variables) {
    for (const char* const name : all) ::unsetenv(name);
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
    const auto told = std::pair{rank_by_launcher(), ranks_by_launcher()};
    for (const char* const name : all) ::unsetenv(name);
    return told;
}

} // namespace

TEST_CASE("the rank is told by each launcher's own variables") {
    CHECK(with({}) == std::pair{std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{}});
    const auto three_of_eight = std::pair{std::optional<std::uint32_t>{3}, std::optional<std::uint32_t>{8}};
    CHECK(with({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}}) == three_of_eight);
    CHECK(with({{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}}) == three_of_eight);
    CHECK(with({{"PMI_ID", "3"}, {"PMI_SIZE", "8"}}) == three_of_eight);
    CHECK(with({{"MV2_COMM_WORLD_RANK", "3"}, {"MV2_COMM_WORLD_SIZE", "8"}}) == three_of_eight);
    CHECK(with({{"FLUX_TASK_RANK", "3"}, {"FLUX_JOB_SIZE", "8"}}) == three_of_eight);
    CHECK(with({{"JSM_NAMESPACE_RANK", "3"}, {"JSM_NAMESPACE_SIZE", "8"}}) == three_of_eight);
    CHECK(with({{"RANK", "3"}, {"WORLD_SIZE", "8"}}) == three_of_eight);
    CHECK(with({{"PALS_RANKID", "3"}}).first == 3);
    CHECK(with({{"ALPS_APP_PE", "3"}}).first == 3);
}

TEST_CASE("Slurm tells a rank in a step alone, and a step's own size") {
    const Variables step = {{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "64"}, {"SLURM_STEP_NUM_TASKS", "8"}};
    CHECK(with(step) == std::pair{std::optional<std::uint32_t>{}, std::optional<std::uint32_t>{}}); // the job's script
    Variables in_step = step;
    in_step.emplace_back("SLURM_STEP_ID", "0");
    CHECK(with(in_step) == std::pair{std::optional<std::uint32_t>{3}, std::optional<std::uint32_t>{8}});
    in_step.emplace_back("PMI_RANK", "5"); // mpiexec within a step
    CHECK(with(in_step).first == 5);
}
