// An OTF2 archive as a trace of ours: `tactus finish` then puts it in order like any other. One thread; rank after
// rank. Memory: what definitions take, and what otf2_starts.hpp says.
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

// Whose clock the stamps of an archive are by.
enum class ArchiveClocks : std::uint8_t {
    one,   // all processes': the archive's own correction is believed
    hosts, // each host had one
    ranks  // each process had one
};
// `trace` does not exist yet.
Result<Imported> import_otf2(const std::string& archive, const std::string& trace, ArchiveClocks clocks);

} // namespace tactus
