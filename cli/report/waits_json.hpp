// What a report for programs says of waiting. Names of keys are kept from version to version; new ones may come.
#pragma once

#include "cli/report/report.hpp"

#include <nlohmann/json.hpp>

namespace tactus {

// Nothing: it is not known.
nlohmann::ordered_json efficiency_json(const std::optional<RunWaits>& waits);
// Adds its keys to those of the report, where waits are known.
void put_waits(nlohmann::ordered_json& all, Report& report);

} // namespace tactus
