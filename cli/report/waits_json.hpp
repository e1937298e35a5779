// The part of the JSON report about waits. The names of keys stay from version to version; new keys may be added.
#pragma once

#include "cli/report/report.hpp"

#include <nlohmann/json.hpp>

namespace tactus {

// Returns null if the efficiency is not known.
nlohmann::ordered_json efficiency_json(const std::optional<RunWaits>& waits);
// Adds the keys about waits to the report, if waits are known.
void put_waits(nlohmann::ordered_json& all, Report& report);

} // namespace tactus
