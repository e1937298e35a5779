#include "postproc/finish/store.hpp"

#include "trace/fields.hpp"
#include "writer/rank_writer.hpp"

#include <cstring>

namespace tactus {
namespace {

template <class T> Bytes bytes_of(const T& value) {
    Bytes bytes;
    write_value(bytes, value);
    return bytes;
}

// Whether the file already has this map. No map and a map that adds nothing are the same.
bool says(const std::vector<ShiftMap>& stored, const ShiftMap& map) {
    return stored.empty() ? map.knots.empty()
                          : stored.back().knots == map.knots && stored.back().half_widths == map.half_widths;
}

} // namespace

std::optional<Definitions> news_for(const RankFile& file, const Finished& finished, std::size_t i, bool lowest) {
    const ProcessClock& clock = finished.clocks[i];
    const ClockQuality* const quality = lowest ? &finished.quality : nullptr;
    const Definitions& known = file.definitions();
    Definitions more;
    if (known.time_maps.empty() || bytes_of(known.time_maps.back()) != bytes_of(clock.fitted))
        more.time_maps.push_back(clock.fitted);
    if (!says(known.refinements, clock.refined)) more.refinements.push_back(clock.refined);
    if (!says(known.corrections, clock.corrected)) more.corrections.push_back(clock.corrected);
    if (quality != nullptr &&
        (known.clock_quality.empty() || bytes_of(known.clock_quality.back()) != bytes_of(*quality)))
        more.clock_quality.push_back(*quality);
    if (!finished.waits.empty() && (known.waits.empty() || bytes_of(known.waits.back()) != bytes_of(finished.waits[i])))
        more.waits.push_back(finished.waits[i]);
    if (!finished.compensated.empty() &&
        (known.compensated.empty() || bytes_of(known.compensated.back()) != bytes_of(finished.compensated[i])))
        more.compensated.push_back(finished.compensated[i]);
    const bool any = !more.time_maps.empty() || !more.refinements.empty() || !more.corrections.empty() ||
                     !more.clock_quality.empty() || !more.waits.empty() || !more.compensated.empty() ||
                     !file.closed(); // writing the index was interrupted
    return any ? std::optional{std::move(more)} : std::nullopt;
}

RankIndex index_for(const RankFile& file, const ProcessClock& clock) {
    const std::uint64_t identity = index_identity(file, clock);
    if (has_index(file, file.all_blocks(), identity)) return {};
    return make_index(file, identity, [&](std::size_t) -> const ProcessClock& { return clock; });
}

RankIndex index_for(const RankFile& file, const Finished& finished, std::size_t i) {
    RankIndex index = index_for(file, finished.clocks[i]);
    if (finished.links.empty()) return index;
    index.blocks.insert(index.blocks.end(), finished.links[i].begin(), finished.links[i].end());
    return index;
}

Outcome append_to(const RankFile& file, std::span<const Bytes> blocks, const Definitions& more) {
    LossCounters lost;
    RankWriter writer{lost, file.header().job};
    if (auto opened = writer.reopen(file.path(), file.header().job, file.sound_end(), file.all_blocks()); !opened)
        return opened;
    bool good = true; // the file is sound without the blocks, so it is closed even if they fail
    for (const Bytes& block : blocks) good = good && writer.add(block);
    if (writer.close(more) && good) return Done{};
    return Error{.what = "cannot be written: " + std::string{strerror(writer.last_errno())}, .file = file.path()};
}

} // namespace tactus
