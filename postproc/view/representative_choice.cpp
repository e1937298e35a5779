#include "postproc/view/representative_choice.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tactus {

// Adds up what a line did in each slot, including its long spans.
class RepresentativeChoice::OneLine {
  public:
    OneLine(const Slots& slots, const FunctionNames& names, std::size_t rank)
        : slots_{slots}, names_{names}, rank_{rank} {}

    Sums take() {
        sums_.ends.reserve(slots_.size());
        sums_.all.reserve(slots_.entries.size() + slots_.size());
        for (std::size_t slot = 0; slot < slots_.size(); ++slot) add_slot(slot);
        return std::move(sums_);
    }

  private:
    void add_slot(std::size_t slot) {
        const GlobalTime begin = slots_.time_of(slot);
        const GlobalTime end = begin + slots_.width();
        slot_begin_ = sums_.all.size();
        busy_ = 0;
        while (next_ < slots_.longs.size() && slots_.longs[next_].end <= begin) ++next_;
        std::size_t i = next_;
        const auto add_long = [&] {
            const Span& span = slots_.longs[i++];
            add({span.function, std::min(end, span.end) - std::max(begin, span.begin), 0});
        };
        const bool begun = i < slots_.longs.size() && slots_.longs[i].begin <= begin;
        if (begun) add_long();
        for (std::size_t entry = slots_.begin_of(slot); entry < slots_.ends[slot]; ++entry) add(slots_.entries[entry]);
        while (i < slots_.longs.size() && slots_.longs[i].begin < end) add_long();
        if (sums_.all.size() > slot_begin_) {
            Sum& first = sums_.all[slot_begin_];
            first.at_begin = begun || busy_ == slots_.width();
            first.may_be_at_begin = true;
        }
        sums_.ends.push_back(static_cast<std::uint32_t>(sums_.all.size()));
    }
    void add(const SlotEntry& entry) {
        const std::uint32_t function = names_.number(rank_, entry.function);
        busy_ += entry.time;
        std::size_t i = slot_begin_;
        while (i < sums_.all.size() && sums_.all[i].function != function) ++i;
        if (i == sums_.all.size()) sums_.all.push_back({.function = function});
        sums_.all[i].time += entry.time;
        // Several numbers of a rank may have the same name.
        sums_.all[i].some_short = slots_.knows_longest && (sums_.all[i].most_short == 0 || entry.longest == 0);
        sums_.all[i].most_short += entry.longest;
    }

    const Slots& slots_;
    const FunctionNames& names_;
    std::size_t rank_;
    Sums sums_;
    std::size_t next_ = 0;       // the first long span that ends after the begin of the slot
    std::size_t slot_begin_ = 0; // where the slot's sums begin in sums_.all
    GlobalTime busy_ = 0;        // time of all functions in the slot
};

void RepresentativeChoice::add(std::size_t line, const Slots& slots) {
    const std::size_t rank = time_line_.lines()[line].rank;
    Sums sums = OneLine{slots, names_, rank}.take();
    sums_ = lines_.empty() ? std::move(sums) : both(sums_, sums);
    lines_.push_back(line);
    for (Span span : slots.longs) {
        span.function = names_.number(rank, span.function);
        longs_.push_back({span, line});
    }
}

RepresentativeChoice::Sums RepresentativeChoice::both(const Sums& a, const Sums& b) {
    Sums sums;
    sums.ends.reserve(a.ends.size());
    sums.all.reserve(a.all.size() + b.all.size());
    for (std::size_t slot = 0; slot < a.ends.size(); ++slot) {
        const auto begin = static_cast<std::ptrdiff_t>(sums.all.size());
        const auto of_a = a.of(slot);
        sums.all.insert(sums.all.end(), of_a.begin(), of_a.end());
        for (const Sum& more : b.of(slot)) {
            const auto same = std::find_if(sums.all.begin() + begin, sums.all.end(),
                                           [&](const Sum& sum) { return sum.function == more.function; });
            if (same == sums.all.end()) {
                sums.all.push_back(more);
                continue;
            }
            same->time += more.time;
            same->some_short = same->some_short && more.some_short;
            same->most_short = std::max(same->most_short, more.most_short);
            same->at_begin = same->at_begin || more.at_begin;
            same->may_be_at_begin = same->may_be_at_begin || more.may_be_at_begin;
        }
        sums.ends.push_back(static_cast<std::uint32_t>(sums.all.size()));
    }
    return sums;
}

RepresentativeChoice::Shown RepresentativeChoice::most_time(std::size_t slot) const {
    const auto sums = sums_.of(slot);
    const auto most =
        std::max_element(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.time < b.time; });
    Shown shown{.slot = slot, .sum = &*most};
    if (lines_.size() == 1) return shown; // of equal ones max_element() gives the function that came first
    for (const Sum& sum : sums) {
        if (sum.time != most->time || &sum == &*most) continue;
        if (shown.equal.empty()) shown.equal.push_back(&*most);
        shown.equal.push_back(&sum);
    }
    if (shown.equal.empty()) return shown;
    const auto any_at_begin = [](const Sum* sum) { return sum->at_begin; };
    const auto is_known = [](const Sum* sum) { return sum->at_begin || !sum->may_be_at_begin; };
    shown.unsure = std::none_of(shown.equal.begin(), shown.equal.end(), any_at_begin) ||
                   !std::all_of(shown.equal.begin(), shown.equal.end(), is_known);
    return shown;
}

// Chooses, of several functions with equal time in a slot, the one that any thread was in first.
void RepresentativeChoice::find_first(std::vector<Shown>& shown) const {
    std::map<std::pair<std::size_t, std::uint32_t>, GlobalTime> touched; // by slot and function
    look_closer(shown, [&](Shown& choice, const Long& seen) {
        const GlobalTime from = std::max(begin_of(choice.slot), seen.span.begin);
        const auto [known, fresh] = touched.emplace(std::pair{choice.slot, seen.span.function}, from);
        if (!fresh) known->second = std::min(known->second, from);
    });
    for (Shown& choice : shown) {
        if (choice.equal.empty()) continue;
        const auto first = [&](const Sum* sum) {
            const GlobalTime from = choice.unsure   ? touched[{choice.slot, sum->function}]
                                    : sum->at_begin ? begin_of(choice.slot)
                                                    : begin_of(choice.slot + 1);
            return std::pair{from, sum->function};
        };
        choice.sum = *std::min_element(choice.equal.begin(), choice.equal.end(),
                                       [&](const Sum* a, const Sum* b) { return first(a) < first(b); });
        choice.unsure = false;
    }
}

// Prefers the longest piece, then the earliest. The rest only makes the result independent of the order of the pieces.
bool RepresentativeChoice::better(const Piece& a, const Piece& b) {
    return std::tuple{b.length, a.of.span.begin, b.of.span.end, a.of.line} <
           std::tuple{a.length, b.of.span.begin, a.of.span.end, b.of.line};
}

RepresentativeChoice::Piece RepresentativeChoice::piece_of(const Long& long_call, std::size_t slot) const {
    const GlobalTime begin = begin_of(slot);
    return {long_call, std::min(begin + width(), long_call.span.end) - std::max(begin, long_call.span.begin)};
}

// Finds the longest piece of the function shown in each slot. It matters only if it is of a long span. The sums decide
// where no short span can have a longer piece.
void RepresentativeChoice::find_longest(std::vector<Shown>& shown) {
    std::sort(longs_.begin(), longs_.end(),
              [](const Long& a, const Long& b) { return std::tie(a.span, a.line) < std::tie(b.span, b.line); });
    std::vector<Long> here;
    std::size_t next = 0;
    for (Shown& choice : shown) {
        const GlobalTime begin = begin_of(choice.slot);
        std::erase_if(here, [&](const Long& known) { return known.span.end <= begin; });
        for (; next < longs_.size() && longs_[next].span.begin < begin + width(); ++next)
            if (longs_[next].span.end > begin) here.push_back(longs_[next]);
        const Sum& sum = *choice.sum;
        for (const Long& known : here) {
            if (known.span.function != sum.function) continue;
            const Piece piece = piece_of(known, choice.slot);
            if (choice.longest.length == 0 || better(piece, choice.longest)) choice.longest = piece;
        }
        const GlobalTime length = choice.longest.length;
        if (sum.some_short && length < sum.most_short) choice.longest = {};
        choice.unsure =
            length > 0 && length < width() && (sum.some_short ? length == sum.most_short : length <= sum.most_short);
    }
    look_closer(shown, [&](Shown& choice, const Long& seen) {
        const Piece piece = piece_of(seen, choice.slot);
        if (seen.span.function == choice.sum->function && better(piece, choice.longest)) choice.longest = piece;
    });
}

// Slots that are close together are read together, since a block of records covers many slots.
template <class See> void RepresentativeChoice::look_closer(std::vector<Shown>& shown, const See& see) const {
    std::vector<Shown*> unsure;
    for (Shown& choice : shown)
        if (choice.unsure) unsure.push_back(&choice);
    for (const std::size_t line : lines_) {
        const Line& known = time_line_.lines()[line];
        for (std::size_t end = unsure.size(); end > 0;) {
            std::size_t begin = end - 1;
            while (begin > 0 && known.times.block_behind(begin_of(unsure[begin - 1]->slot + 1)) + 1 >=
                                    known.times.block_behind(begin_of(unsure[begin]->slot)))
                --begin;
            const GlobalTime from = begin_of(unsure[begin]->slot);
            std::size_t last = end; // slots from here on begin after all further spans
            time_line_.read_back(line, from, begin_of(unsure[end - 1]->slot + 1), [&](Span span) {
                while (last > begin && begin_of(unsure[last - 1]->slot) >= span.end) --last;
                span.function = names_.number(known.rank, span.function);
                for (std::size_t i = last; i > begin && begin_of(unsure[i - 1]->slot + 1) > span.begin; --i)
                    see(*unsure[i - 1], Long{span, line});
            });
            end = begin;
        }
    }
}

bool RepresentativeChoice::is_long_here(const Span& span) const {
    return std::min(span.end, view_.to()) - std::max(span.begin, view_.from()) > width();
}

void RepresentativeChoice::append(std::vector<FunctionSlot>& slots, const Shown& shown) const {
    const auto slot = static_cast<std::uint32_t>(shown.slot);
    const Sum& sum = *shown.sum;
    FunctionSlot function_slot{.first = slot, .last = slot, .function = sum.function, .time = sum.time};
    for (const Sum& any : sums_.of(slot)) function_slot.busy += any.time;
    if (shown.longest.length > 0 && is_long_here(shown.longest.of.span)) {
        function_slot.span = shown.longest.of.span;
        function_slot.line = shown.longest.of.line;
        FunctionSlot* const before = slots.empty() ? nullptr : &slots.back();
        if (before != nullptr && before->span == function_slot.span && before->line == function_slot.line &&
            before->last + 1 == slot) {
            before->last = slot;
            before->time += function_slot.time;
            before->busy += function_slot.busy;
            return;
        }
    }
    slots.push_back(function_slot);
}

std::vector<FunctionSlot> RepresentativeChoice::function_slots() {
    std::vector<Shown> shown;
    shown.reserve(view_.slots);
    for (std::size_t slot = 0; !lines_.empty() && slot < view_.slots; ++slot)
        if (!sums_.of(slot).empty()) shown.push_back(most_time(slot));
    find_first(shown);
    find_longest(shown);
    std::vector<FunctionSlot> slots;
    slots.reserve(shown.size());
    for (const Shown& choice : shown) append(slots, choice);
    return slots;
}

void RepresentativeChoice::add_to(std::size_t slot, std::vector<SlotEntry>& total) const {
    if (lines_.empty()) return;
    for (const Sum& sum : sums_.of(slot)) {
        const auto position =
            std::lower_bound(total.begin(), total.end(), sum.function,
                             [](const SlotEntry& entry, std::uint32_t function) { return entry.function < function; });
        if (position != total.end() && position->function == sum.function)
            position->time += sum.time;
        else
            total.insert(position, {sum.function, sum.time});
    }
}

} // namespace tactus
