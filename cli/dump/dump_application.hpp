// Lines of a dump for what the application recorded through VT.h: regions, counter values, comments, definitions. Pure
// functions.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <string>

namespace tactus {

// Returns the name, such as "solver:step", or "#3" when the trace does not define it.
std::string symbol_text(const RankFile& file, std::uint32_t number);

// Whether a record is a counter value, a comment or a definition of the application.
constexpr bool is_applications(Kind kind) { return kind >= Kind::counter && kind <= Kind::symbol; }

// Returns text such as "counter solver:residual 0.5 m", "comment "text"" or "note symbol #3 solver:step". Only for
// records for which is_applications() is true.
std::string application_text(const RankFile& file, const Record& record, Words words);

// Returns text such as "region solver:step   1.234 us  at solve.c:12".
std::string region_text(const RankFile& file, const Record& record);

} // namespace tactus
