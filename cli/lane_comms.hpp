// Communicators that a running or dead rank defined in records which are not in its file yet. They are looked for in
// its lane, which is read like any file; what the owner overwrites meanwhile is not taken for a definition.
#pragma once

#include "trace/definitions.hpp"

#include <string>
#include <vector>

namespace tactus {

// Empty when the file is no lane.
std::vector<Comm> comms_in_lane(const std::string& path);

} // namespace tactus
