// The names of call places that stay with a trace: NAME.tactus/places.json has function, file and line of every call
// place, as the program's files said at the end of the run. So a trace reads the same on another machine, after the
// program was built again, and without it.
#pragma once

#include "cli/source_lines.hpp"
#include "postproc/profile/profile.hpp"

#include <map>
#include <string>

namespace tactus {

inline constexpr const char* kept_names_file = "places.json";

// The names that a trace has; none when it has no such file. A file that makes no sense is an error.
Result<std::map<Place, SourceLine>> kept_names(const std::string& trace);

// Adds the names of all call places and sampled places of a profile to those of the trace. Names that are there already
// stay. Does nothing when there is nothing new, or the trace cannot be written to, as when it belongs to somebody else.
void keep_names(const std::string& trace, const Profile& profile, SourceLines& lines);

} // namespace tactus
