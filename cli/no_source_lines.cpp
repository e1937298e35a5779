// SourceLines for a tactus that was built without the libdw library: call places are shown as offsets.
#include "cli/format.hpp"
#include "cli/source_lines.hpp"

#include <fmt/format.h>

namespace tactus {

class SourceLines::File {};

SourceLines::SourceLines(const std::string& trace)
    : untrusted_{"this tactus was built without libdw, so call places whose names the trace does not keep are shown as "
                 "offsets (build it again where that library is, Debian's libdw-dev)"} {
    take_kept_names(trace);
}
SourceLines::~SourceLines() = default;

const SourceLine& SourceLines::find(const Place& place) { return known_[place]; }

std::string SourceLines::text(const Place& place) {
    if (place.module.empty()) return place.offset == 0 ? "unknown" : fmt::format("{:#x}", place.offset);
    return fmt::format("{}+{:#x}", file_name(place.module), place.offset);
}

std::string SourceLines::caller_text(const Place& place) { return text(place); }

} // namespace tactus
