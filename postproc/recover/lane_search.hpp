// Finds the lanes of a traced process, and whether the process still runs. Offline. An object is used by one thread.
#pragma once

#include "trace/lane_contents.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tactus {

enum class Liveness { alive, dead, elsewhere }; // elsewhere: on another host, so nothing is known about it

// These two say whether a process with that number exists. It may be another process, since numbers are used again.
Liveness liveness_of(const Header& header);
bool exists(std::uint64_t pid);
// Whether the process has the file open or mapped. When that cannot be known, whether the process exists.
bool uses(std::uint64_t pid, const std::string& file);
// Whether some process holds the lock that a writer has on its rank file. This also works where process numbers mean
// nothing.
bool is_locked(const std::string& file);
// Whether the process ran on this host since the host's last boot.
bool runs_here(const Header& header);

struct FoundLane {
    std::string path;
    LaneContents contents;
};

struct RankLanes {
    std::vector<FoundLane> lanes;        // ordered by number
    std::vector<Error> foreign{};        // lanes of this rank that belong to another trace, which exists, too
    std::vector<Error> unreadable;       // files that are named like lanes of this rank
    std::vector<std::string> searched{}; // folders that were searched
    std::vector<std::string> drafts{};   // lane files whose making the death of the process interrupted
};

class LaneSearch {
  public:
    explicit LaneSearch(const Trace& trace);
    // Finds the lanes of the rank with this header: in the trace itself, in the folders that the headers of all ranks
    // name, in /dev/shm and in /tmp. Takes only files that belong to the owner of the rank files.
    RankLanes of(const Header& header);

  private:
    struct Files {
        std::vector<std::string> lanes;
        std::vector<std::string> drafts;
    };
    using ByRank = std::map<std::uint32_t, Files>;
    [[nodiscard]] bool belongs_to_another(const LaneContents& lane) const;
    void take(const Files& files, const Header& header, bool in_trace, RankLanes& found) const;
    const ByRank& listed(const std::string& folder);

    std::string trace_;
    uid_t owner_ = 0;                       // of the rank files, so lanes must have the same owner
    std::vector<std::string> named_;        // folders that the headers of all ranks name
    std::map<std::string, ByRank> folders_; // the files of each folder, which is listed only once
};

} // namespace tactus
