#include "cli/lane_definitions.hpp"

#include "trace/definer.hpp"

namespace tactus {

LaneDefinitions definitions_in(const LaneContents& lane) {
    Definitions defined;
    Definer definer{defined};
    for (const LaneContents::Block& block : lane.unwritten)
        for_each_record(block.slots, [&](const Record& record, std::span<const std::int64_t> words) {
            definer.take(record, words);
        });
    std::erase_if(defined.comms, [](const Comm& comm) { return comm.size() == 0 || comm.my_rank >= comm.size(); });
    return {std::move(defined.comms), std::move(defined.symbols)};
}

} // namespace tactus
