// The result of an export.
#pragma once

#include "base/result.hpp"
#include "postproc/export/not_said.hpp"

#include <cstdint>
#include <vector>

namespace tactus {

struct Exported {
    std::uint64_t events = 0; // or rows of tables
    NotSaid not_said;
    std::vector<Error> unreadable;
};

} // namespace tactus
