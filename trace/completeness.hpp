// Whether a rank's file has every record that its process made. Pure.
#pragma once

#include "trace/rank_file.hpp"

namespace tactus {

// False when the file was not closed in order, blocks are missing, or losses of records were counted.
bool says_it_is_complete(const RankFile& file);

} // namespace tactus
