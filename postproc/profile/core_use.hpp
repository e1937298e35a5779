// Whether the threads of a run had cores, by what the operating system said at the start and the end of recording
// (base/os_facts.hpp). Pure.
#pragma once

#include "trace/rank_file.hpp"

#include <cstdint>
#include <optional>
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
    std::uint64_t ranks = 0;             // whose readings are known
    std::uint64_t busy_threads = 0;      // that were on a core, or waited for one, for more than half of the time
    std::uint64_t cores = 0;             // on which at least one rank may run
    double core_limit = 0;               // how many cores the control group may use; 0: no limit
    double ran_s = 0;                    // on a core, all threads
    double waited_s = 0;                 // able to run, without a core
    double throttled_s = 0;              // held back by the limit, added up over cores; the most that a rank saw
    double busy_s = 0;                   // these cores, whoever used them; 0 where that is not known
    double lasted_s = 0;                 // from the first reading to the last, of the rank with most
    std::optional<double> others_s = {}; // processes other than these ranks were on these cores
    std::optional<std::int64_t> swapped_in = {}; // pages that were read back from swap space, by all processes
    std::vector<std::uint32_t> members;          // the ranks
    std::vector<SharedCore> shared;

    // The cores that the ranks of this host may use together.
    [[nodiscard]] double usable() const;
    // The cores were busy all the time, and other processes took much of it.
    [[nodiscard]] bool taken_by_others() const;
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
