// The counters of a picture: for each row, counter and slot, how many values all threads of the row had, and the least,
// the greatest and the last of them. Slots are as wide as those of functions. They are wider where there would be more
// values than a picture can show, or where too many records would have to be read.
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
    unsigned width_bits = 0;        // slots are 2^width_bits units wide
    std::vector<CounterName> names; // of all counters in the trace; CounterSum::counter is an index in it
    std::vector<CounterSum> sums;   // ordered by key, of all slots that the window touches
};

CountersShown counters_shown(const TimeLine& time_line, const ViewRequest& request, const View& view, unsigned threads);

} // namespace tactus
