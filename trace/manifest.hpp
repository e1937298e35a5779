// manifest.json sums up the whole run. It is written last, so its presence means that all ranks reached the end
// together. This file holds its fields and its writer, for the collector and for the repair of traces; the command
// reads it (cli/manifest.hpp).
#pragma once

#include "base/result.hpp"
#include "trace/definitions.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tactus {

struct LostCount {
    std::string name; // the name of a Loss
    std::uint64_t count = 0;
};

struct Manifest {
    std::uint32_t format = format_version;
    std::string job; // in decimal digits, since a number of JSON holds 53 bits
    std::string run; // token of the `tactus run` that started it; empty when there was none
    std::string program;
    std::string mpi;
    std::uint32_t ranks = 0;
    std::uint64_t calls = 0; // sums over the ranks, from here on
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;       // of the rank files
    std::vector<LostCount> losses; // an object in JSON: name to count

    static constexpr void fields(auto& self, auto&& field) {
        field("format", self.format);
        field("job", self.job);
        field("run", self.run);
        field("program", self.program);
        field("mpi", self.mpi);
        field("ranks", self.ranks);
        field("calls", self.calls);
        field("records", self.records);
        field("bytes", self.bytes);
        field("losses", self.losses);
    }
};

// Takes what the header of any rank says of the run. The caller adds the sums and losses.
Manifest manifest_of(const Header& header);
std::vector<LostCount> named_losses(std::span<const std::uint64_t> lost); // `lost` is indexed by Loss

std::string manifest_path(const std::string& trace);
std::string manifest_text(const Manifest& manifest);

// The file gets its name only when it is whole.
Outcome write_manifest(const std::string& trace, const Manifest& manifest);

} // namespace tactus
