// Marks of a time axis at round times. Pure.
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

// Some hundred pixels from each other; `to_s` is more than `from_s`.
Axis axis_between(double from_s, double to_s, double pixels);

} // namespace tactus
