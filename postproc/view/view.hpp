// What a picture of a window of time shows. A row of it is a thread, or several threads together. The rule is that of
// ITAC, made exact:
//
//   Time is divided into slots of 2^b units on an absolute grid. They are no narrower than the picture can show. Each
//   row has one function for each slot: the function with most time in it; of equal ones the function that came first,
//   then the one with the lower number. Take the longest piece of that function in the slot (of equal ones the
//   earliest). If its span, as far as it lies in the window, is longer than a slot, then all slots that are represented
//   by this span are joined. Rows of several threads add up the times of their threads. A slot in which nothing was
//   traced is left out.
//
// The answer depends neither on what is stored, nor on the order or the number of the threads that compute it.
#pragma once

#include "postproc/view/counters_shown.hpp"
#include "postproc/view/function_names.hpp"
#include "postproc/view/links_shown.hpp"
#include "postproc/view/no_core_shown.hpp"
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
    std::vector<std::size_t> lines; // indices in TimeLine::lines()
};

struct ViewRequest {
    GlobalTime from = 0; // a window of time
    GlobalTime to = 0;   // later than `from`
    std::uint32_t pixels = 1024;
    std::uint32_t pixels_a_slot = 1; // minimum width of a slot
    std::vector<ViewRow> rows;
    // The largest number of messages, of waits and of collectives. Their slots become wider until there are that few,
    // as far as wider slots help. 0: none are shown.
    std::size_t most_links = 0;
    std::size_t most_values = 0; // the same for values of counters
    // About how many records may be read for functions. Slots become wider until that is enough, as far as it helps.
    double most_read = std::numeric_limits<double>::infinity();
    static constexpr double quickly_read = 1e6;
    bool gather_links = true; // false: links are not gathered, which takes a while; their slots may be wider then
};

// The function that is shown for a slot, or for several slots in which a single span is shown.
struct FunctionSlot {
    std::uint32_t first = 0; // slot, counted from the first of the view
    std::uint32_t last = 0;  // greater than `first` only for a span that is longer than a slot
    std::uint32_t function = 0;
    GlobalTime time = 0; // in this function in these slots, summed over the threads of the row
    GlobalTime busy = 0; // the same for all functions
    std::optional<Span> span = {};
    std::size_t line = 0; // line of the span
};

struct View {
    std::int64_t first = 0;  // the first slot begins at first x 2^width_bits
    unsigned width_bits = 0; // a slot is 2^width_bits units of global time wide
    std::size_t slots = 0;   // whole slots, although the window may begin and end in the middle of a slot
    GlobalTime wanted = 0;   // the width that was asked for, which is no more than the width of the slots
    std::vector<std::vector<FunctionSlot>> rows;
    // For each slot, the time that all rows together spent in each function, ordered by the function's number.
    std::vector<std::vector<SlotEntry>> totals;
    std::array<LinksShown, link_kinds> links; // by LinkKind
    CountersShown counters;
    std::vector<std::vector<NoCoreSlot>> no_core; // by row

    [[nodiscard]] GlobalTime from() const { return first << width_bits; }
    [[nodiscard]] GlobalTime to() const { return (first + static_cast<std::int64_t>(slots)) << width_bits; }
    // The begin and the end of the whole slots of 2^`bits` units in which the view lies.
    [[nodiscard]] GlobalTime from(unsigned bits) const { return from() >> bits << bits; }
    [[nodiscard]] GlobalTime to(unsigned bits) const { return (((to() - 1) >> bits) + 1) << bits; }
};

// Computes a picture with `threads` threads (0: as many as there are cores). What cannot be read is left out, and is in
// TimeLine::problems().
View view(const TimeLine& time_line, const FunctionNames& names, const ViewRequest& request, unsigned threads = 0);

} // namespace tactus
