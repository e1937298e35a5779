// Adds up the lines of a row of a view, which may come in any order, and chooses the function shown in each slot. Used
// by one thread at a time.
#pragma once

#include "postproc/view/view.hpp"

#include <span>
#include <vector>

namespace tactus {

class RepresentativeChoice {
  public:
    // All must outlive it. `view` has the slots.
    RepresentativeChoice(const TimeLine& time_line, const FunctionNames& names, const View& view)
        : time_line_{time_line}, names_{names}, view_{view} {}

    void add(std::size_t line, const Slots& slots);
    // To be called after all lines were added: the functions to show, and the row's part of the totals of a slot.
    // `total` is ordered by function.
    [[nodiscard]] std::vector<FunctionSlot> function_slots();
    void add_to(std::size_t slot, std::vector<SlotEntry>& total) const;

  private:
    // The sum of a function in a slot. A short span is no longer than a slot.
    struct Sum {
        std::uint32_t function = 0;
        GlobalTime time = 0;
        GlobalTime most_short = 0;    // no short span of the function has more time in this slot
        bool some_short = true;       // some short span has exactly most_short
        bool at_begin = false;        // some thread was in the function when the slot began
        bool may_be_at_begin = false; // some thread may have been in it then
    };
    struct Sums { // by slot; for a single line, by when the function came first
        std::vector<std::uint32_t> ends;
        std::vector<Sum> all;
        [[nodiscard]] std::span<const Sum> of(std::size_t slot) const {
            const std::size_t begin = slot == 0 ? 0 : ends[slot - 1];
            return {all.data() + begin, ends[slot] - begin};
        }
    };
    struct Long {
        Span span;
        std::size_t line = 0;
    };
    struct Piece { // the part of a span that lies in a slot
        Long of;
        GlobalTime length = 0; // 0: there is none
    };
    // A slot in which something was traced, and the function that is shown for it.
    struct Shown {
        std::size_t slot = 0;
        const Sum* sum = nullptr;
        std::vector<const Sum*> equal = {}; // the functions with most time, if there are several
        Piece longest = {};                 // the longest piece of the function shown, if it may be of a long span
        bool unsure = false;                // the sums do not decide, so records have to be read
    };
    class OneLine;

    static Sums both(const Sums& a, const Sums& b);
    [[nodiscard]] Shown most_time(std::size_t slot) const;
    void find_first(std::vector<Shown>& shown) const;
    void find_longest(std::vector<Shown>& shown);
    // Calls `see(Shown&, const Long&)` for every span of every line in each slot that is unsure.
    template <class See> void look_closer(std::vector<Shown>& shown, const See& see) const;
    [[nodiscard]] Piece piece_of(const Long& long_call, std::size_t slot) const;
    [[nodiscard]] GlobalTime begin_of(std::size_t slot) const {
        return (view_.first + static_cast<std::int64_t>(slot)) << view_.width_bits;
    }
    [[nodiscard]] GlobalTime width() const { return GlobalTime{1} << view_.width_bits; }
    [[nodiscard]] bool is_long_here(const Span& span) const;
    static bool better(const Piece& a, const Piece& b);
    void append(std::vector<FunctionSlot>& slots, const Shown& shown) const;

    const TimeLine& time_line_;
    const FunctionNames& names_;
    const View& view_;
    std::vector<std::size_t> lines_;
    Sums sums_;
    std::vector<Long> longs_; // functions are numbered as in names_
};

} // namespace tactus
