// The counters of a picture: of each row, counter and slot how many values it had, the least, the greatest and the
// last, of all threads of the row. Slots are as wide as those of functions, or wider where that would be more values
// than a picture can show, or more records to read than it can wait for.
#pragma once

#include "postproc/lod/counters.hpp"

#include <string>
#include <vector>

namespace tactus {

class TimeLine;
struct ViewRequest;
struct View;

struct CounterName {
    std::string name; // "class:name"
    std::string unit;
    auto operator<=>(const CounterName&) const = default;
};

struct CountersShown {
    unsigned width_bits = 0;        // of their slots
    std::vector<CounterName> names; // of all counters of the trace: CounterSum::counter is a place in there
    std::vector<CounterSum> sums;   // by place, those of whole slots in which the window is
};

CountersShown counters_shown(const TimeLine& time_line, const ViewRequest& request, const View& view, unsigned threads);

} // namespace tactus
