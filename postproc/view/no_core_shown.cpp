#include "postproc/view/no_core_shown.hpp"

#include "postproc/parallel/share_work.hpp"
#include "postproc/view/view.hpp"

#include <algorithm>
#include <cmath>

namespace tactus {
namespace {

// Adds the time of a stored slot to the slots of the view that it touches. The stored slot may be wider or narrower.
void spread(const NoCoreSum& sum, unsigned stored_bits, const View& view, std::vector<double>& times) {
    const GlobalTime begin = std::max(sum.slot << stored_bits, view.from());
    const GlobalTime end = std::min((sum.slot + 1) << stored_bits, view.to());
    const unsigned narrower = stored_bits > view.width_bits ? stored_bits - view.width_bits : 0;
    const double each = std::ldexp(static_cast<double>(sum.time), -static_cast<int>(narrower));
    for (std::int64_t slot = begin >> view.width_bits; slot <= (end - 1) >> view.width_bits; ++slot)
        times[static_cast<std::size_t>(slot - view.first)] += each;
}

std::vector<NoCoreSlot> row_without_core(const TimeLine& time_line, const ViewRow& row, const View& view) {
    std::vector<double> times;
    for (const std::size_t line : row.lines)
        time_line.no_core(line, view.width_bits, view.from(), view.to(), [&](const NoCoreSum& sum, unsigned bits) {
            times.resize(view.slots);
            spread(sum, bits, view, times);
        });
    std::vector<NoCoreSlot> slots;
    const double whole = std::ldexp(static_cast<double>(row.lines.size()), static_cast<int>(view.width_bits));
    for (std::size_t slot = 0; slot < times.size(); ++slot)
        if (times[slot] > 0) slots.push_back({static_cast<std::uint32_t>(slot), std::min(times[slot] / whole, 1.0)});
    return slots;
}

} // namespace

std::vector<std::vector<NoCoreSlot>> no_core_shown(const TimeLine& time_line, const ViewRequest& request,
                                                   const View& view, unsigned threads) {
    std::vector<std::vector<NoCoreSlot>> rows(request.rows.size());
    share_work(rows.size(), threads,
               [&](std::size_t row) { rows[row] = row_without_core(time_line, request.rows[row], view); });
    return rows;
}

} // namespace tactus
