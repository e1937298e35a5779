// The forms in which `tactus clocks` shows a trace's clocks.
#pragma once

#include "cli/clocks/clocks_facts.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tactus {

void print_clocks_text(const Trace& trace, const ClocksFacts& facts);
nlohmann::ordered_json clocks_json(const Trace& trace, const ClocksFacts& facts);

// Returns an SVG drawing: every clock against global time, and below it against its own straight line.
std::string clocks_svg(const Trace& trace, const ClocksFacts& facts);

} // namespace tactus
