#include "postproc/lod/plan.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {

void LaneTimes::add_block(GlobalTime last_leave, std::uint64_t records) {
    ends_.push_back(std::max(last_leave, end()));
    constexpr std::uint64_t most = 1 << 20; // no block can have more, but a damaged file may claim it
    before_.push_back(this->records() + std::min(records, most));
}

std::size_t LaneTimes::block_behind(GlobalTime time) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), time) - ends_.begin());
}

double LaneTimes::records_until(GlobalTime time) const {
    const std::size_t block = block_behind(time);
    const double before = block == 0 ? 0 : static_cast<double>(before_[block - 1]);
    const GlobalTime begin = block == 0 ? begin_ : ends_[block - 1];
    if (block == ends_.size() || time <= begin) return before;
    const double share = ns_from(begin, time) / ns_from(begin, ends_[block]);
    return before + share * (static_cast<double>(before_[block]) - before);
}

double LaneTimes::records_between(GlobalTime from, GlobalTime to) const {
    return std::max(0.0, records_until(to) - records_until(from));
}

double LaneTimes::time_a_record() const {
    std::vector<std::pair<double, std::uint64_t>> blocks; // time for each record, and number of records
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        const std::uint64_t records = before_[i] - (i == 0 ? 0 : before_[i - 1]);
        const double time = static_cast<double>(ends_[i]) - static_cast<double>(i == 0 ? begin_ : ends_[i - 1]);
        if (records > 0) blocks.emplace_back(time / static_cast<double>(records), records);
    }
    std::sort(blocks.begin(), blocks.end());
    std::uint64_t seen = 0;
    for (const auto& [time, records] : blocks)
        if ((seen += records) * 2 >= this->records()) return time;
    return 0;
}

bool ChunkPlan::has(unsigned level, std::int64_t chunk) const {
    return level < levels.size() && std::binary_search(levels[level].begin(), levels[level].end(), chunk);
}

namespace {

class Planning {
  public:
    explicit Planning(const LaneTimes& times) : times_{times} {}

    ChunkPlan run() {
        if (times_.records() < 2 * enough) return {};
        const double wanted = enough * times_.time_a_record();
        plan_.narrowest = wanted > 1 ? static_cast<unsigned>(std::ceil(std::log2(wanted))) % level_bits : 0;
        const GlobalTime last = times_.end() - 1;
        const auto slots = [&](unsigned level) {
            return (last >> plan_.width_bits(level)) - (times_.begin() >> plan_.width_bits(level));
        };
        // The highest level is the first in which the lane has only a few slots.
        unsigned level = 0;
        while (plan_.width_bits(level + 1) <= most_width_bits && slots(level) >= few) ++level;
        plan_.levels.resize(level + 1);
        const unsigned bits = plan_.chunk_time_bits(level);
        for (std::int64_t chunk = times_.begin() >> bits; chunk <= last >> bits; ++chunk) look(level, chunk);
        return std::move(plan_);
    }

  private:
    static constexpr unsigned enough = 64; // records in a slot
    static constexpr std::int64_t few = 8;

    // Decides whether a chunk is kept, and adds it to the plan together with those below it.
    bool look(unsigned level, std::int64_t chunk) {
        if (++looks_ > most_looks) return false;
        const unsigned bits = plan_.chunk_time_bits(level);
        const GlobalTime from = std::max(times_.begin(), chunk << bits);
        const GlobalTime last = std::min(times_.end(), (chunk + 1) << bits) - 1;
        if (from > last) return false;
        const double records = times_.records_between(from, last + 1);
        if (records < 2 * enough) return false;
        bool any = false;
        if (level > 0)
            for (std::int64_t below = chunk << level_bits; below < (chunk + 1) << level_bits; ++below)
                any = look(level - 1, below) || any;
        const std::int64_t slots = (last >> plan_.width_bits(level)) - (from >> plan_.width_bits(level)) + 1;
        if (!any && records < enough * static_cast<double>(slots)) return false;
        plan_.levels[level].push_back(chunk); // this keeps the list sorted, since chunks are visited in ascending order
        return true;
    }

    static constexpr std::uint64_t most_looks = 1 << 22; // a damaged file may claim any number of records

    const LaneTimes& times_;
    std::uint64_t looks_ = 0;
    ChunkPlan plan_;
};

} // namespace

ChunkPlan plan_chunks(const LaneTimes& times) { return Planning{times}.run(); }

} // namespace tactus
