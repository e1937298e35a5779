// The collective groups of one rank, and what each of its calls gives and takes in its group. The roles follow MPI-4.0,
// 6.1. Nobody waits for a member that brings no data, and a member that gets no data waits for nobody.
#pragma once

#include "postproc/replay/event.hpp"
#include "trace/rank_file.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace tactus {

// The number of ranks in the run, but at most 1 << 22, since a damaged header may claim any number.
constexpr std::uint64_t ranks_of(const Header& header) {
    constexpr std::uint64_t any_machine = 1 << 22;
    return header.ranks < any_machine ? header.ranks : any_machine;
}
// The ranks that a definition names.
struct NamedRanks {
    std::uint32_t count = 0;
    std::uint32_t lowest = UINT32_MAX;
};
// Returns nothing when the definition names more than `most` ranks or a rank that is not in [0, most), as one of a
// damaged file may.
std::optional<NamedRanks> named_ranks(const std::vector<RankRun>& runs, std::uint64_t most);
// The same ranks as a list, in the order of the definition.
std::optional<std::vector<std::uint32_t>> list_of_ranks(const std::vector<RankRun>& runs, std::uint64_t most);

// What this rank gives and takes in one collective.
struct Participation {
    std::uint32_t group = 0; // in RankEvents::groups
    bool gives = false;
    bool takes = false;
    std::uint32_t sources = 0; // like `destinations` a list of members, in RankEvents::lists; 0: everybody
    std::uint32_t destinations = 0;
    bool root = false; // this rank is the root
};

class CollectiveGroups {
  public:
    using Lists = std::vector<std::vector<std::uint32_t>>;
    // All must outlive it. It appends groups and lists as calls need them; list 0 is empty and stands for everybody.
    CollectiveGroups(const RankFile& file, std::vector<CollectiveGroup>& collective_groups, Lists& lists);

    // What this rank gives and takes in a call, by its communicator, function, root and bytes. Returns nothing when the
    // call is no collective, or when its communicator is not defined.
    std::optional<Participation> part_of(const Signature& what, Words words) {
        const bool takes_part =
            pattern_of(shape_of(what.function)) != Pattern::none || needs_all_members(what.function);
        return takes_part ? part_in_collective(what, words) : std::nullopt;
    }
    // The same for MPI_Win_fence. `window` is the window's identity (0: not known, which gives nothing), and `waits`
    // says whether the fence waits for all members.
    std::optional<Participation> part_of_fence(std::uint32_t comm, std::uint64_t window, bool waits);

  private:
    struct Group {
        const Comm* comm = nullptr;
        std::uint32_t mine = 0;           // index of the first member of this rank's group
        std::uint32_t other = 0;          // in an intercommunicator the same for the other group
        CollectiveGroup collective_group; // with what the communicator determines
    };
    std::optional<Participation> part_in_collective(const Signature& what, Words words);
    const Group& group_of(std::uint32_t comm);
    std::uint32_t collective_group(const Group& group, std::uint64_t window, TakesFrom takes_from);
    std::uint32_t list(std::vector<std::uint32_t> members);
    // The list of the other members for which `bytes` is not 0 (0: that is everybody); nothing when there are none.
    std::optional<std::uint32_t> those_with(const Group& group, const ByteVector& bytes);
    void take_from(Participation& part, const Group& group, const ByteVector& bytes);
    void by_neighbor(Participation& part, const Group& group, const Signature& what, Words words);
    void by_pair(Participation& part, const Group& group, Words words);
    void by_pattern(Participation& part, const Group& group, const Signature& what, Words words);

    const RankFile& file_;
    std::vector<CollectiveGroup>& collective_groups_;
    Lists& lists_;
    std::map<std::uint32_t, Group> groups_;
    std::map<std::tuple<std::uint64_t, std::uint64_t, TakesFrom>, std::uint32_t> known_;
    std::map<std::vector<std::uint32_t>, std::uint32_t> known_lists_;
};

} // namespace tactus
