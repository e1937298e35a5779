// Call places that mean the same on every rank: the module and the offset in its file instead of an address, which
// differs from process to process. Turning them into source lines is the command's business, not this folder's. Pure.
#pragma once

#include "trace/definitions.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

// A return address: the call is the instruction before `offset`.
struct Place {
    std::string module; // path; empty when no module covers the address
    std::string build_id;
    std::uint64_t offset = 0; // in the file, or the plain address when there is no module
    auto operator<=>(const Place&) const = default;
};

// `modules` is one rank's table.
Place place_of(std::uint64_t address, const std::vector<Module>& modules);

} // namespace tactus
