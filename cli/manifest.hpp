// Reads manifest.json, and compares it with the rank files. The manifest is trusted no more than any other file: its
// size is bounded and each field is checked.
#pragma once

#include "trace/manifest.hpp"
#include "trace/rank_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tactus {

// `file` is the name for errors. Fields that this tactus does not know are ignored.
Result<Manifest> parse_manifest(std::string_view text, const std::string& file);

// Returns no value, and no error, if there is no manifest: then the ranks did not reach the end of the run together.
Result<std::optional<Manifest>> read_manifest(const std::string& trace);

// Lists where the manifest differs from the rank files. Sums are compared only when every file is there and closed.
std::vector<Error> contradictions(const Manifest& manifest, const Trace& trace);

} // namespace tactus
