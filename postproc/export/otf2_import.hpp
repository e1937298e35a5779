// Turns an OTF2 archive into a trace, which `tactus finish` then puts in order like any other. Ranks are imported one
// after the other. One thread. Memory: that of the definitions, and what otf2_requests.hpp says.
#pragma once

#include "base/result.hpp"
#include "postproc/export/not_said.hpp"

#include <cstdint>
#include <string>

namespace tactus {

struct Imported {
    std::uint32_t ranks = 0;
    std::uint64_t calls = 0;
    std::uint64_t records = 0;
    NotSaid not_said;
};

// Which clocks gave an archive its stamps.
enum class ArchiveClocks : std::uint8_t {
    one,   // one for all processes: the archive's own correction is believed
    hosts, // one for each host
    ranks  // one for each process
};
// `trace` must not exist yet.
Result<Imported> import_otf2(const std::string& archive, const std::string& trace, ArchiveClocks clocks);

} // namespace tactus
