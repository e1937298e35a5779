// What a picture of a stretch of time shows of its rows, each a thread or several together. ITAC's rule, made exact:
//
//   Time is divided into slots on an absolute grid, 2^b units each, no narrower than the picture can show. Of each row
//   and slot there is one function, the one with most time in it (then: who was there first, then the lower number). If
//   the longest piece of that function there (then: the earliest) is of a span that is longer than a slot, as far as it
//   is in the window, the slots of which that is so are one. Rows of several threads add their times up. Slots in which
//   nothing was traced are not there.
//
// The answer does not depend on what was added up ahead, in which order, or by how many threads.
#pragma once

#include "postproc/view/counters_shown.hpp"
#include "postproc/view/function_names.hpp"
#include "postproc/view/links_shown.hpp"
#include "postproc/view/time_line.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct ViewRow {
    std::string name;
    std::vector<std::size_t> lines; // numbers in TimeLine::lines()
};

struct ViewRequest {
    GlobalTime from = 0; // a window of time
    GlobalTime to = 0;   // later than `from`
    std::uint32_t pixels = 1024;
    std::uint32_t pixels_a_slot = 1; // at least
    std::vector<ViewRow> rows;
    // Of messages, of waits and of collectives there are no more than that, where wider slots can help; 0: none are
    // shown.
    std::size_t most_links = 0;
    std::size_t most_values = 0; // of counters, likewise
    // For functions about so many records are read, or less, where wider slots can help.
    double most_read = std::numeric_limits<double>::infinity();
    static constexpr double quickly_read = 1e6;
    bool gather_links = true; // false: where that takes a while, their slots are wider than they need to be
};

struct FunctionSlot {
    std::uint32_t first = 0; // slot of the window
    std::uint32_t last = 0;  // the same, or more: one span that is longer than a slot
    std::uint32_t function = 0;
    GlobalTime time = 0; // of it in these slots, of all threads of the row
    GlobalTime busy = 0; // of any function
    std::optional<Span> span = {};
    std::size_t line = 0; // of the span
};

struct View {
    std::int64_t first = 0;  // slot: it begins at first x 2^width_bits
    unsigned width_bits = 0; // of a slot, in units of global time
    std::size_t slots = 0;   // whole ones: the window may begin and end in the middle of one
    GlobalTime wanted = 0;   // width that was asked for: not more than the used one
    std::vector<std::vector<FunctionSlot>> rows;
    // How much time all rows together spent in each function, slot by slot, by the function's number.
    std::vector<std::vector<SlotEntry>> totals;
    std::array<LinksShown, link_kinds> links; // by LinkKind
    CountersShown counters;

    [[nodiscard]] GlobalTime from() const { return first << width_bits; }
    [[nodiscard]] GlobalTime to() const { return (first + static_cast<std::int64_t>(slots)) << width_bits; }
    // The same of whole slots that are 2^`bits` wide, in which it lies.
    [[nodiscard]] GlobalTime from(unsigned bits) const { return from() >> bits << bits; }
    [[nodiscard]] GlobalTime to(unsigned bits) const { return (((to() - 1) >> bits) + 1) << bits; }
};

// `threads`: that work at it; 0: as many as there are cores.
View view(const TimeLine& time_line, const FunctionNames& names, const ViewRequest& request, unsigned threads = 0);

} // namespace tactus
