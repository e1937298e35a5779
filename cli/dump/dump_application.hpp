// What the application recorded through VT.h as lines of a dump: regions, counter values, comments, definitions. Pure.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <string>

namespace tactus {

// "solver:step", or "#3" when the trace does not define it.
std::string symbol_text(const RankFile& file, std::uint32_t number);

// Counter values, comments and definitions.
constexpr bool is_applications(Kind kind) { return kind >= Kind::counter && kind <= Kind::symbol; }

// "counter solver:residual 0.5 m", "comment "text"", "note symbol #3 solver:step"; of those kinds only.
std::string application_text(const RankFile& file, const Record& record, Words words);

// "region solver:step   1.234 us  at solve.c:12"
std::string region_text(const RankFile& file, const Record& record);

} // namespace tactus
