// Finding the lanes of a traced process, and whether it still lives. Offline; one thread an object.
#pragma once

#include "trace/lane_contents.hpp"
#include "trace/rank_file.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tactus {

enum class Liveness { alive, dead, elsewhere }; // elsewhere: on another host, so nothing is known of it

// Whether a process of that number exists. Numbers are used again.
Liveness liveness_of(const Header& header);
bool exists(std::uint64_t pid);
// Whether the process has the file open or mapped; true when that cannot be known.
bool uses(std::uint64_t pid, const std::string& file);
// Whether some process holds the lock that a writer has on its rank file; also where process numbers mean nothing.
bool is_locked(const std::string& file);
bool runs_here(const Header& header); // on this host, since its last start

struct FoundLane {
    std::string path;
    LaneContents contents;
};

struct RankLanes {
    std::vector<FoundLane> lanes;  // in the order of their numbers
    std::vector<Error> foreign{};  // lanes of this rank that another directory, which is there too, has a claim to
    std::vector<Error> unreadable; // files that should be lanes of this rank
    std::vector<std::string> searched{}; // folders
    std::vector<std::string> drafts{};   // files that death kept from becoming lanes
};

class LaneSearch {
  public:
    explicit LaneSearch(const Trace& trace);
    // Wherever they may be: where any rank's header says, in the trace itself, in /dev/shm and /tmp.
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
    uid_t owner_ = 0;                       // of the rank files, and so of their lanes
    std::vector<std::string> named_;        // folders, by the headers of all ranks
    std::map<std::string, ByRank> folders_; // each listed once, however many ranks share it
};

} // namespace tactus
