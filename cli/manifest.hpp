// Reading manifest.json, which is as trustworthy as any file: bounded, checked field by field. And what it says that
// the rank files do not.
#pragma once

#include "trace/manifest.hpp"
#include "trace/rank_file.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tactus {

// `file` is for errors. Fields that this tactus does not know are passed over.
Result<Manifest> parse_manifest(std::string_view text, const std::string& file);

// No manifest at all is no error: the run did not end together.
Result<std::optional<Manifest>> read_manifest(const std::string& trace);

// What the manifest and the rank files say differently; sums are compared only when every file is here and closed.
std::vector<Error> contradictions(const Manifest& manifest, const Trace& trace);

} // namespace tactus
