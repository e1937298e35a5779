// How the library's environment is inserted into a command line.
#pragma once

#include "cli/launch/launcher.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus {

using EnvironmentPair = std::pair<std::string, std::string>;

// Returns the line with `env NAME=VALUE...` before each program. So the variables reach the ranks on every node, and
// shells and scripts that start them, but not the launcher. Where no `env` can stand, it is the launcher's own option
// for variables. `library` is put before the LD_PRELOAD that the part would have had, from its surroundings or else
// from `inherited`. If `library` is empty, LD_PRELOAD stays as it is.
[[nodiscard]] Arguments insert_environment(const Arguments& argv, const CommandLine& command,
                                           const std::vector<EnvironmentPair>& environment, std::string_view library,
                                           std::string_view inherited);

// Puts `library` before `others`, but after the runtime of a sanitizer, which refuses any place but the first.
[[nodiscard]] std::string join_preload(std::string_view library, std::string_view others);

} // namespace tactus
