// What NCCL did, as a dumped line.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <string>

namespace tactus {

// "NCCL coll AllReduce  1.000 us  comm world seq 3 bytes 8 full channels 4 of 4 ...": only what is known.
std::string nccl_text(const RankFile& file, const Record& record, Words words);

} // namespace tactus
