// Adds up what the application said through VT.h: regions and scopes by name, and counters by name. It is a part of the
// profile.
//
// A lane is read from its end. In this direction a region comes before what is inside of it, so only open regions need
// to be remembered. A region's own time is its time without the regions and MPI calls directly inside of it. Scopes may
// overlap, so nothing is subtracted from their time, and they are not subtracted from others. Time in a region that is
// inside of a region of the same name counts only once. A region is counted in the window in which it ends.
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
    std::uint64_t unfinished = 0; // those of them that the application did not end
    double time_s = 0;            // in the window, as are the next two
    double own_s = 0;             // a scope has time_s
    double mpi_s = 0;             // in MPI calls of the same thread inside of it; a scope has 0
    // The next three are over the whole lengths of the regions counted, also of those inside of one of the same name.
    double sum_s = 0;
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

// The sums over all ranks.
struct Application {
    std::map<std::pair<std::string, bool>, RegionProfile> regions; // by name, and whether it is a scope
    std::map<std::string, CounterProfile> counters;

    void add(const RankFile& file, const TickWindow& window);
};

} // namespace tactus
