// Marks of a time axis at round times. Pure function.
#pragma once

#include <string>
#include <vector>

namespace tactus {

struct Axis {
    struct Mark {
        double time_s = 0;
        std::string text;
    };
    std::vector<Mark> marks;
};

// Returns marks at least 110 pixels from each other, on an axis that is `pixels` wide. `to_s` must be larger than
// `from_s`.
Axis axis_between(double from_s, double to_s, double pixels);

} // namespace tactus
