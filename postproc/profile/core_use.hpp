// Whether the threads of a run had cores, by what the operating system said at the start and the end of recording
// (base/os_facts.hpp). Pure.
#pragma once

#include "trace/rank_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

// A core that is the only one of several ranks.
struct SharedCore {
    std::int32_t core = 0;
    std::vector<std::uint32_t> ranks;
};

struct HostCores {
    std::string host;
    std::uint64_t ranks = 0;        // whose readings are known
    std::uint64_t busy_threads = 0; // that were on a core, or waited for one, for more than half of the time
    std::uint64_t cores = 0;        // on which at least one rank may run
    double core_limit = 0;          // how many cores the control group may use; 0: no limit
    double ran_s = 0;               // on a core, all threads
    double waited_s = 0;            // able to run, without a core
    double throttled_s = 0;         // held back by the limit, added up over cores; the most that a rank saw
    double others_s = 0;            // processes other than the ranks were on these cores; 0 where it is not known
    std::int64_t swapped_in = 0;    // pages that were read back from swap space, of all processes of the host
    std::vector<SharedCore> shared;

    // The cores that the ranks of this host may use together.
    [[nodiscard]] double usable() const;
    // More threads were busy than that, and were without a core for 5 % of the time in which they could run.
    [[nodiscard]] bool oversubscribed() const {
        return static_cast<double>(busy_threads) > usable() && waited_s >= 0.05 * (ran_s + waited_s);
    }
};

struct CoreUse {
    std::vector<HostCores> hosts; // in the order of their first rank
    std::uint64_t unknown = 0;    // ranks without both readings, or whose system tells nothing of its threads

    [[nodiscard]] double ran_s() const;
    [[nodiscard]] double waited_s() const;
    // The share of the time in which threads could run that they had no core; 0 when nothing is known.
    [[nodiscard]] double waited_share() const;
    [[nodiscard]] bool oversubscribed() const;
};

CoreUse core_use(const Trace& trace);

} // namespace tactus
