// Sums of messages, waits and collectives as links.hpp defines them, found by looking at every link for every sum.
#pragma once

#include "postproc/lod/links.hpp"

#include <string>
#include <vector>

namespace tactus {

using Links = std::vector<Link>;
std::vector<LinkSum> by_rule(const Links& links, LinkKind kind, unsigned width_bits);

std::string text_of(const std::vector<LinkSum>& sums);

} // namespace tactus
