// What a row of a view sums up to, line by line, in any order. One thread at a time.
#pragma once

#include "postproc/view/view.hpp"

#include <span>
#include <vector>

namespace tactus {

class RepresentativeChoice {
  public:
    // All outlive it. `view` says which slots.
    RepresentativeChoice(const TimeLine& time_line, const FunctionNames& names, const View& view)
        : time_line_{time_line}, names_{names}, view_{view} {}

    void add(std::size_t line, const Slots& slots);
    // When all lines are there.
    [[nodiscard]] std::vector<FunctionSlot> function_slots();
    void add_to(std::size_t slot, std::vector<SlotEntry>& total) const;

  private:
    // Of a function in a slot.
    struct Sum {
        std::uint32_t function = 0;
        GlobalTime time = 0;
        GlobalTime most_short = 0;    // of its spans that are no longer than a slot none takes more here,
        bool some_short = true;       // but one takes just that
        bool at_begin = false;        // some thread was in it when the slot began
        bool may_be_at_begin = false; // or it may have been
    };
    struct Sums { // by slot; of a single line by first touch
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
    struct Piece { // of a span, in a slot
        Long of;
        GlobalTime length = 0; // 0: of none
    };
    // A slot in which something was traced, and who it is shown as.
    struct Shown {
        std::size_t slot = 0;
        const Sum* sum = nullptr;
        std::vector<const Sum*> equal = {}; // where several have most time in it
        Piece longest = {};                 // of the one that is shown, if it may be of a long span
        bool unsure = false;                // sums alone do not tell
    };
    class OneLine;

    static Sums both(const Sums& a, const Sums& b);
    [[nodiscard]] Shown most_time(std::size_t slot) const;
    void find_first(std::vector<Shown>& shown) const;
    void find_longest(std::vector<Shown>& shown);
    // Calls `see(Shown&, const Long&)` for every span of every line in the unsure ones.
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
    std::vector<Long> longs_; // with the numbers of all ranks together
};

} // namespace tactus
