// The collective_groups of one rank, and what each call gives and takes there. Roles: MPI-4.0, 6.1; who brings nothing,
// or wants nothing, waits for nobody and is waited for by nobody.
#pragma once

#include "postproc/replay/event.hpp"
#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace tactus {

// Of how many ranks a file may speak: a damaged header may claim any number.
constexpr std::uint64_t ranks_of(const Header& header) {
    constexpr std::uint64_t any_machine = 1 << 22;
    return header.ranks < any_machine ? header.ranks : any_machine;
}
// Of a definition that may come from a damaged file: nothing when it cannot be true, or names more than `most`.
std::optional<std::vector<std::uint32_t>> world_ranks(const std::vector<RankRun>& runs, std::uint64_t most);

// What one collective is for this rank.
struct Participation {
    std::uint32_t group = 0;
    bool gives = false;
    bool takes = false;
    std::uint32_t sources = 0; // lists; 0: everybody
    std::uint32_t destinations = 0;
    bool root = false; // this rank is
};

class CollectiveGroups {
  public:
    using Lists = std::vector<std::vector<std::uint32_t>>;
    CollectiveGroups(const RankFile& file, std::vector<CollectiveGroup>& collective_groups, Lists& lists);

    // A call as it began: its communicator, function, root and bytes. Nothing: it is no collective, or on a
    // communicator that is not defined.
    std::optional<Participation> part_of(const Signature& what, Words words);
    std::optional<Participation> part_of_fence(std::uint32_t comm, std::uint64_t window, bool waits);

  private:
    struct Group {
        const Comm* comm = nullptr;
        std::uint32_t mine = 0; // index of the first member of my group
        std::uint32_t other = 0;
        CollectiveGroup collective_group; // as far as the communicator says
    };
    const Group& group_of(std::uint32_t comm);
    std::uint32_t collective_group(const Group& group, std::uint64_t window, TakesFrom takes_from);
    std::uint32_t list(std::vector<std::uint32_t> members);
    // The other members that have bytes there, as a list; nothing: none has.
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
