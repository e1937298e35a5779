#include "postproc/view/row_sums.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tactus {

// All that a line did in each slot, also in long spans.
class RowSums::OneLine {
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
            add(span.function, std::min(end, span.end) - std::max(begin, span.begin), false);
        };
        const bool begun = i < slots_.longs.size() && slots_.longs[i].begin <= begin;
        if (begun) add_long();
        for (std::size_t entry = slots_.begin_of(slot); entry < slots_.ends[slot]; ++entry)
            add(slots_.entries[entry].function, slots_.entries[entry].time, true);
        while (i < slots_.longs.size() && slots_.longs[i].begin < end) add_long();
        if (sums_.all.size() > slot_begin_) {
            Sum& first = sums_.all[slot_begin_];
            first.at_begin = begun || busy_ == slots_.width();
            first.may_be_at_begin = true;
        }
        sums_.ends.push_back(static_cast<std::uint32_t>(sums_.all.size()));
    }
    void add(std::uint32_t function, GlobalTime time, bool is_short) {
        function = names_.number(rank_, function);
        busy_ += time;
        std::size_t i = slot_begin_;
        while (i < sums_.all.size() && sums_.all[i].function != function) ++i;
        if (i == sums_.all.size()) sums_.all.push_back({.function = function});
        sums_.all[i].time += time;
        if (is_short) sums_.all[i].most_short += time;
    }

    const Slots& slots_;
    const FunctionNames& names_;
    std::size_t rank_;
    Sums sums_;
    std::size_t next_ = 0; // long span that ends behind the slot's begin
    std::size_t slot_begin_ = 0;
    GlobalTime busy_ = 0;
};

void RowSums::add(std::size_t line, const Slots& slots) {
    const std::size_t rank = time_line_.lines()[line].rank;
    Sums sums = OneLine{slots, names_, rank}.take();
    sums_ = lines_.empty() ? std::move(sums) : both(sums_, sums);
    lines_.push_back(line);
    for (Span span : slots.longs) {
        span.function = names_.number(rank, span.function);
        longs_.push_back({span, line});
    }
}

RowSums::Sums RowSums::both(const Sums& a, const Sums& b) {
    Sums sums;
    sums.ends.reserve(a.ends.size());
    sums.all.reserve(a.all.size() + b.all.size());
    for (std::size_t slot = 0; slot < a.ends.size(); ++slot) {
        const auto begin = static_cast<std::ptrdiff_t>(sums.all.size());
        const auto of_a = a.of(slot);
        sums.all.insert(sums.all.end(), of_a.begin(), of_a.end());
        for (const Sum& more : b.of(slot)) {
            const auto same = std::find_if(sums.all.begin() + begin, sums.all.end(),
                                           [&](const Sum& one) { return one.function == more.function; });
            if (same == sums.all.end()) {
                sums.all.push_back(more);
                continue;
            }
            same->time += more.time;
            same->most_short = std::max(same->most_short, more.most_short);
            same->at_begin = same->at_begin || more.at_begin;
            same->may_be_at_begin = same->may_be_at_begin || more.may_be_at_begin;
        }
        sums.ends.push_back(static_cast<std::uint32_t>(sums.all.size()));
    }
    return sums;
}

const RowSums::Sum& RowSums::winner(std::size_t slot) const {
    const auto sums = sums_.of(slot);
    const auto most =
        std::max_element(sums.begin(), sums.end(), [](const Sum& a, const Sum& b) { return a.time < b.time; });
    if (lines_.size() == 1) return *most; // the first of them
    std::vector<const Sum*> equal;
    for (const Sum& sum : sums)
        if (sum.time == most->time) equal.push_back(&sum);
    return equal.size() == 1 ? *most : first_of(slot, equal);
}

const RowSums::Sum& RowSums::first_of(std::size_t slot, const std::vector<const Sum*>& equal) const {
    std::map<std::uint32_t, GlobalTime> touched;
    const bool known =
        std::any_of(equal.begin(), equal.end(), [](const Sum* sum) { return sum->at_begin; }) &&
        std::all_of(equal.begin(), equal.end(), [](const Sum* sum) { return sum->at_begin || !sum->may_be_at_begin; });
    const GlobalTime begin = begin_of(slot);
    for (const Sum* sum : equal) touched[sum->function] = sum->at_begin ? begin : begin + width();
    if (!known)
        for (const std::size_t line : lines_)
            time_line_.read_back(line, begin, begin + width(), [&](const Span& span) {
                const auto one = touched.find(names_.number(time_line_.lines()[line].rank, span.function));
                if (one != touched.end()) one->second = std::min(one->second, std::max(begin, span.begin));
            });
    return **std::min_element(equal.begin(), equal.end(), [&](const Sum* a, const Sum* b) {
        return std::pair{touched[a->function], a->function} < std::pair{touched[b->function], b->function};
    });
}

// The longest; the one that began first; then anything that does not depend on the order in which they came.
bool RowSums::better(const Piece& a, const Piece& b) {
    return std::tuple{b.length, a.of.span.begin, b.of.span.end, a.of.line} <
           std::tuple{a.length, b.of.span.begin, a.of.span.end, b.of.line};
}

RowSums::Piece RowSums::piece_of(const Long& one, std::size_t slot) const {
    const GlobalTime begin = begin_of(slot);
    return {one, std::min(begin + width(), one.span.end) - std::max(begin, one.span.begin)};
}

// `longs`: those that are here. No line, no length: it is no long one.
RowSums::Piece RowSums::longest(std::size_t slot, const Sum& sum, const std::vector<Long>& longs) const {
    Piece best;
    for (const Long& one : longs) {
        if (one.span.function != sum.function) continue;
        const Piece piece = piece_of(one, slot);
        if (best.length == 0 || better(piece, best)) best = piece;
    }
    if (best.length > 0 && best.length < width() && best.length <= sum.most_short)
        look_closer(slot, sum.function, best);
    return best;
}

void RowSums::look_closer(std::size_t slot, std::uint32_t function, Piece& best) const {
    const GlobalTime begin = begin_of(slot);
    for (const std::size_t line : lines_)
        time_line_.read_back(line, begin, begin + width(), [&](Span span) {
            span.function = names_.number(time_line_.lines()[line].rank, span.function);
            const Piece piece = piece_of({span, line}, slot);
            if (span.function == function && better(piece, best)) best = piece;
        });
}

bool RowSums::is_long_here(const Span& span) const {
    return std::min(span.end, view_.to()) - std::max(span.begin, view_.from()) > width();
}

std::vector<FunctionSlot> RowSums::function_slots() {
    std::vector<FunctionSlot> slots;
    if (lines_.empty()) return slots;
    std::sort(longs_.begin(), longs_.end(),
              [](const Long& a, const Long& b) { return std::tie(a.span, a.line) < std::tie(b.span, b.line); });
    std::vector<Long> here;
    std::size_t next = 0;
    for (std::size_t slot = 0; slot < view_.slots; ++slot) {
        const GlobalTime begin = begin_of(slot);
        std::erase_if(here, [&](const Long& one) { return one.span.end <= begin; });
        for (; next < longs_.size() && longs_[next].span.begin < begin + width(); ++next) here.push_back(longs_[next]);
        if (sums_.of(slot).empty()) continue;
        const Sum& most = winner(slot);
        const auto number = static_cast<std::uint32_t>(slot);
        FunctionSlot one{.first = number, .last = number, .function = most.function, .time = most.time};
        for (const Sum& sum : sums_.of(slot)) one.busy += sum.time;
        const Piece piece = longest(slot, most, here);
        if (piece.length > 0 && is_long_here(piece.of.span)) {
            one.span = piece.of.span;
            one.line = piece.of.line;
            FunctionSlot* const before = slots.empty() ? nullptr : &slots.back();
            if (before != nullptr && before->span == one.span && before->line == one.line && before->last + 1 == slot) {
                before->last = number;
                before->time += one.time;
                before->busy += one.busy;
                continue;
            }
        }
        slots.push_back(one);
    }
    return slots;
}

void RowSums::add_to(std::vector<std::vector<SlotEntry>>& totals) const {
    if (lines_.empty()) return;
    for (std::size_t slot = 0; slot < view_.slots; ++slot)
        for (const Sum& sum : sums_.of(slot)) {
            auto& of_slot = totals[slot];
            const auto place =
                std::lower_bound(of_slot.begin(), of_slot.end(), sum.function,
                                 [](const SlotEntry& one, std::uint32_t function) { return one.function < function; });
            if (place != of_slot.end() && place->function == sum.function)
                place->time += sum.time;
            else
                of_slot.insert(place, {sum.function, sum.time});
        }
}

} // namespace tactus
