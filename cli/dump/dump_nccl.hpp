// Lines of a dump for NCCL's records.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <string>

namespace tactus {

// Returns text such as "NCCL coll AllReduce  1.000 us  comm world seq 3 bytes 8 full channels 4/4/4 ...". It contains
// only what is known.
std::string nccl_text(const RankFile& file, const Record& record, Words words);

} // namespace tactus
