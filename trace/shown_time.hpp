// The time of a tick as it is shown and exported. The ticks of a lane increase, but several events of an imported
// archive may have the same stamp: they are shown at the same time.
#pragma once

#include "trace/rank_file.hpp"

namespace tactus {

inline GlobalTime shown_time(const RankFile& file, Ticks tick) {
    const Ticks width = file.header().ticks_per_stamp;
    return file.clock().at(width > 1 ? tick - tick % width : tick);
}

} // namespace tactus
