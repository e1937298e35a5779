// What the application said through VT.h, added up: regions and scopes by name, counters by name. Part of the profile.
//
// A lane is read from its end: there a region comes before what is inside it, so that only those that are open need to
// be remembered. A region's own time is what is left without the regions and MPI calls directly inside it; scopes may
// overlap, so they have none and take none. Time inside a region of the same name counts once. A region is counted in
// the window in which it ends.
#pragma once

#include "postproc/profile/window.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace tactus {

struct RegionProfile {
    std::string name; // "class:name"
    bool scope = false;
    std::uint64_t count = 0;
    std::uint64_t unfinished = 0; // of them: not ended by the application
    double time_s = 0;            // this and the next two: in the window
    double own_s = 0;             // of a scope: time_s
    double mpi_s = 0;             // in MPI calls inside it, of the same thread; of a scope: 0
    double sum_s = 0; // of those counted, as long as they are, also inside one of the same name; so the next two
    double min_s = std::numeric_limits<double>::infinity();
    double max_s = 0;
    [[nodiscard]] double avg_s() const { return count == 0 ? 0 : sum_s / static_cast<double>(count); }
};

struct CounterProfile {
    std::string name;
    std::string unit;
    std::uint64_t values = 0;
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double sum = 0;
    [[nodiscard]] double mean() const { return values == 0 ? 0 : sum / static_cast<double>(values); }
};

// Of all ranks, by name.
struct Application {
    std::map<std::pair<std::string, bool>, RegionProfile> regions; // by name, scopes apart
    std::map<std::string, CounterProfile> counters;

    void add(const RankFile& file, const TickWindow& window);
};

} // namespace tactus
