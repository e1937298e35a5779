#include "postproc/profile/losses.hpp"

#include "trace/lane_walk.hpp"

namespace tactus {
namespace {

constexpr std::size_t most_losses = 64; // higher numbers come from a damaged file, not from a newer tactus

void add(std::vector<std::uint64_t>& lost, std::size_t which, std::uint64_t count) {
    if (which >= most_losses) return;
    if (which >= lost.size()) lost.resize(which + 1);
    lost[which] += count;
}

void add_from_records(const RankFile& file, std::vector<std::uint64_t>& lost) {
    for (const LaneBlocks blocks : lanes_of(file)) {
        LaneWalk walk{file, blocks};
        while (walk.next())
            if (walk.record().what.kind == Kind::loss) add(lost, walk.record().what.type, walk.record().what.bytes);
    }
}

} // namespace

std::vector<LossCount> count_losses(const Trace& trace) {
    std::vector<std::uint64_t> lost(loss_count);
    for (const RankFile& file : trace.ranks) {
        const auto& totals = file.definitions().totals;
        if (totals.empty()) {
            add_from_records(file, lost);
            continue;
        }
        for (std::size_t i = 0; i < totals.front().lost.size(); ++i) add(lost, i, totals.front().lost[i]);
    }
    std::vector<LossCount> list;
    for (std::size_t i = 0; i < lost.size(); ++i) {
        if (i < loss_count)
            list.push_back({losses[i].name, losses[i].meaning, lost[i]});
        else
            list.push_back({"loss " + std::to_string(i), "a loss that only a newer tactus can name", lost[i]});
    }
    return list;
}

} // namespace tactus
