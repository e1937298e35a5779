#include "trace/completeness.hpp"

#include <algorithm>
#include <iterator>

namespace tactus {

bool says_it_is_complete(const RankFile& file) {
    if (!file.closed() || !file.damage().empty() || file.definitions().totals.empty()) return false;
    const Totals& totals = file.definitions().totals.front();
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
