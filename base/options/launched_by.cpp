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

} // namespace

std::optional<std::uint32_t> rank_by_launcher() {
    return number_in_environment({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "RANK"});
}

std::optional<std::uint32_t> ranks_by_launcher() {
    return number_in_environment({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", "WORLD_SIZE"});
}

} // namespace tactus
