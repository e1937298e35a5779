// Communicators that a running or dead rank defined in records that are not in its file yet.
#pragma once

#include "trace/definitions.hpp"
#include "trace/lane_contents.hpp"

#include <vector>

namespace tactus {

std::vector<Comm> comms_in(const LaneContents& lane);

} // namespace tactus
