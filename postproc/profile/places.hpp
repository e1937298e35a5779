// Call places that mean the same on every rank: a module and an offset in its file, instead of an address that differs
// from process to process. The command turns them into source lines; this folder does not. Pure.
#pragma once

#include "trace/definitions.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus {

// A return address: the call is the instruction before `offset`. In a program that an interpreter runs it is a line.
struct Place {
    std::string module; // path; empty if the address is in no module
    std::string build_id;
    std::uint64_t offset = 0;  // in the file; without a module, the address itself; the line of an interpreted program
    std::string function = {}; // of an interpreted program; of others it is found by the offset
    auto operator<=>(const Place&) const = default;
};

// `modules` is the table of the rank that the address is from.
Place place_of(std::uint64_t address, const std::vector<Module>& modules);

} // namespace tactus
