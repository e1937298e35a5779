#include "piggyback/mpi/eager_limits.hpp"

#include "mpi_kind.hpp"
#include "piggyback/mpi/policy.hpp"
#include "piggyback/mpi/side_message.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>

namespace tactus {
namespace {

// Parses a size as Open MPI and UCX write it: digits, with an optional suffix k, m or g. Empty when it is none.
std::optional<unsigned long long> bytes_of(const char* text) {
    char* end = nullptr;
    const unsigned long long number = std::strtoull(text, &end, 10);
    if (end == text) return {};
    unsigned shift = 0;
    if (*end == 'k' || *end == 'K') shift = 10;
    if (*end == 'm' || *end == 'M') shift = 20;
    if (*end == 'g' || *end == 'G') shift = 30;
    if (end[shift != 0 ? 1 : 0] != '\0') return {};
    return number << shift;
}

// Whether a line of the file that is no comment contains `parameter`.
bool names(const std::string& path, const char* parameter) {
    std::FILE* const file = std::fopen(path.c_str(), "re");
    bool found = false;
    char line[512];
    while (file != nullptr && !found && std::fgets(line, sizeof line, file) != nullptr)
        found = line[0] != '#' && std::strstr(line, parameter) != nullptr;
    if (file != nullptr) std::fclose(file);
    return found;
}

// Open MPI also reads parameters from files, and the environment would override them. So a limit that is set in a file
// is left alone.
bool is_set_in_file(const char* variable) {
    constexpr const char* prefix = "OMPI_MCA_";
    if (std::strncmp(variable, prefix, std::strlen(prefix)) != 0) return false;
    for (const char* list : {"OMPI_MCA_mca_base_param_files", "OMPI_MCA_mca_param_files"})
        if (std::getenv(list) != nullptr) return true; // The contents of these files are not known.
    const char* const parameter = variable + std::strlen(prefix);
    const char* const home = std::getenv("HOME");
    return names("/etc/openmpi/openmpi-mca-params.conf", parameter) ||
           (home != nullptr && names(std::string{home} + "/.openmpi/mca-params.conf", parameter));
}

} // namespace

RaisedEagerLimits::RaisedEagerLimits(const Options* options) {
    static_assert(std::size(eager_limits) <= most);
    if (options == nullptr || options->piggyback() == Piggyback::off) return;
    constexpr std::size_t of_mpi = 64; // more than the bytes that any MPI adds to a message in its count
    const std::uint64_t most_headed = most_headed_wanted(*options);
    const std::uint64_t longest = most_headed + header_bytes + of_mpi;
    const std::uint64_t side_message = most_headed < Lengths::unlimited ? longest + sizeof(SideMessage::Front) : 0;
    for (std::size_t i = 0; i < std::size(eager_limits); ++i) {
        const char* const now = std::getenv(eager_limits[i].variable);
        const auto bytes = now != nullptr ? bytes_of(now) : std::optional{eager_limits[i].initial};
        if (!bytes || *bytes == 0) continue; // The limit is not known.
        // A message whose size is at the limit has a header only when the limit is below `longest`.
        const std::uint64_t raised =
            std::max<std::uint64_t>(*bytes < longest ? *bytes + header_bytes : *bytes, side_message);
        if (*bytes >= raised) continue;
        if (now == nullptr && is_set_in_file(eager_limits[i].variable)) continue;
        was_[i] = {.changed = true, .set = now != nullptr, .value = now != nullptr ? now : ""};
        setenv(eager_limits[i].variable, std::to_string(raised).c_str(), 1);
    }
}

void RaisedEagerLimits::restore() {
    for (std::size_t i = 0; i < std::size(eager_limits); ++i) {
        if (!was_[i].changed) continue;
        if (was_[i].set)
            setenv(eager_limits[i].variable, was_[i].value.c_str(), 1);
        else
            unsetenv(eager_limits[i].variable);
    }
}

} // namespace tactus
