// Whether a rank's file has every record that its process made. Pure.
#pragma once

#include "trace/rank_file.hpp"

namespace tactus {

// False: the collector counted losses of records, or its end was not in order.
bool says_it_is_complete(const RankFile& file);

} // namespace tactus
