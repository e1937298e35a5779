#include "cli/where_lanes.hpp"

#include "cli/lane_comms.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <unistd.h>

namespace tactus {
namespace fs = std::filesystem;

namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string boot_id() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string id;
    std::getline(file, id);
    return id;
}

// Lane files by rank, each folder listed once however many ranks share it.
class LaneFolders {
  public:
    std::vector<std::string> lanes_of(const std::string& folder, std::uint32_t rank) {
        const auto [entry, fresh] = listed_.try_emplace(folder);
        if (fresh) list(folder, entry->second);
        auto paths = entry->second[rank];
        std::sort(paths.begin(), paths.end());
        return paths;
    }

  private:
    using ByRank = std::map<std::uint32_t, std::vector<std::string>>;

    static void list(const std::string& folder, ByRank& lanes) {
        std::error_code failed;
        for (const auto& entry : fs::directory_iterator{folder, failed}) {
            const std::string name = entry.path().filename().string();
            unsigned rank = 0;
            unsigned lane = 0;
            if (std::sscanf(name.c_str(), "rank-%u-lane-%u", &rank, &lane) == 2 && name == lane_file_name(rank, lane))
                lanes[rank].push_back(entry.path().string());
        }
    }

    std::map<std::string, ByRank> listed_;
};

// Ticks to time ago. On the rank's own host the clock of now tells; elsewhere nothing does.
class Ago {
  public:
    Ago(const RankFile& file, bool here) : here_{here} {
        if (!here) return;
        choose_timer(file.header().timer);
        now_ = read_anchor();
        const Anchor& start = file.header().start;
        if (now_.tick > start.tick)
            seconds_per_tick_ = 1e-9 * static_cast<double>(now_.monotonic_ns - start.monotonic_ns) /
                                static_cast<double>(now_.tick - start.tick);
    }
    [[nodiscard]] std::optional<double> operator()(Ticks tick) const {
        if (!here_ || tick == 0) return {};
        return now_.tick > tick ? static_cast<double>(now_.tick - tick) * seconds_per_tick_ : 0;
    }

  private:
    bool here_;
    Anchor now_;
    double seconds_per_tick_ = 0;
};

ProcessState process_state(std::uint64_t pid, bool here) {
    if (!here) return ProcessState::elsewhere;
    // Without the permission to signal it, it still exists.
    return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM ? ProcessState::alive : ProcessState::dead;
}

std::string why_no_lane(const RankFile& file, bool here) {
    const Header& header = file.header();
    if (header.lane_directory.empty()) return "its lanes are in private memory, which only the rank itself can read";
    if (!here)
        return fmt::format("its lanes are on host {} in {}: run `tactus where` there", header.host,
                           header.lane_directory);
    return fmt::format("no lane of it is left in {}", header.lane_directory);
}

RankState read_rank(const RankFile& file, const std::string& trace, LaneFolders& folders, bool here) {
    const Header& header = file.header();
    RankState state{.file = &file, .process = process_state(header.pid, here), .lanes = {}, .problem = {}};
    if (file.closed()) return state;
    std::vector<std::string> paths;
    if (!header.lane_directory.empty()) paths = folders.lanes_of(header.lane_directory, header.rank);
    if (paths.empty()) paths = folders.lanes_of(trace + "/lanes", header.rank);
    const Ago ago{file, here};
    for (const std::string& path : paths) {
        const auto lane = read_lane(path);
        if (!lane || lane->job != header.job || lane->rank != header.rank || lane->closed) continue;
        LaneState one{*lane, comms_in_lane(path), {}, {}};
        if (lane->inside) one.since_enter_s = ago(lane->open.enter);
        one.since_leave_s = ago(lane->last.leave);
        state.lanes.push_back(std::move(one));
    }
    if (state.lanes.empty()) state.problem = why_no_lane(file, here);
    return state;
}

} // namespace

const Comm* RankState::comm(std::uint32_t number) const {
    if (const Comm* written = file->comm(number)) return written;
    for (const LaneState& lane : lanes)
        for (const Comm& comm : lane.comms)
            if (comm.number == number) return &comm;
    return nullptr;
}

std::vector<RankState> read_lanes(const Trace& trace) {
    const std::string host = host_name();
    const std::string boot = boot_id();
    LaneFolders folders;
    std::vector<RankState> states;
    for (const RankFile& file : trace.ranks) {
        const bool here = file.header().host == host && file.header().boot_id == boot;
        states.push_back(read_rank(file, trace.path, folders, here));
    }
    return states;
}

} // namespace tactus
