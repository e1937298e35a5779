#include "trace/completeness.hpp"

#include <algorithm>
#include <iterator>

namespace tactus {

namespace {

// Whether there are as many record blocks as were counted at the end. The index alone does not tell: it may have been
// lost and made anew.
bool has_all(const RankFile& file, const Totals& totals) {
    const std::vector<IndexEntry>& blocks = file.all_blocks();
    const auto found = std::count_if(blocks.begin(), blocks.end(),
                                     [](const IndexEntry& block) { return block.kind == BlockKind::records; });
    return static_cast<std::uint64_t>(found) >= totals.blocks;
}

} // namespace

bool says_it_is_complete(const RankFile& file) {
    if (file.definitions().totals.empty()) return false;
    const Totals& totals = file.definitions().totals.front();
    if (!has_all(file, totals)) return false;
    const auto lost = [&](Loss loss) {
        const auto which = static_cast<std::size_t>(loss);
        return which < totals.lost.size() && totals.lost[which] != 0;
    };
    if (totals.ending == Ending::recovered && lost(Loss::lane_unprotected)) return false;
    constexpr Loss of_records[] = {Loss::block_not_written, Loss::late_thread, Loss::nested_too_deep, Loss::no_memory,
                                   Loss::not_recovered};
    return std::none_of(std::begin(of_records), std::end(of_records), lost);
}

} // namespace tactus
