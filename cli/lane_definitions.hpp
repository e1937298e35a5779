// What a running or dead rank defined in records that are not in its file yet: communicators and symbols.
#pragma once

#include "trace/definitions.hpp"
#include "trace/lane_contents.hpp"

#include <vector>

namespace tactus {

struct LaneDefinitions {
    std::vector<Comm> comms;
    std::vector<Symbol> symbols;
};
LaneDefinitions definitions_in(const LaneContents& lane);

} // namespace tactus
