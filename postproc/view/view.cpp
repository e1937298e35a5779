#include "postproc/view/view.hpp"

#include "postproc/parallel/share_work.hpp"
#include "postproc/view/representative_choice.hpp"

#include <bit>
#include <cmath>
#include <mutex>

namespace tactus {
namespace {

std::size_t slots_in(const ViewRequest& request, unsigned width_bits) {
    return static_cast<std::size_t>(((request.to - 1) >> width_bits) - (request.from >> width_bits)) + 1;
}

// The narrowest slots, of 2^width_bits units or more, for which at most request.most_read records are read.
unsigned width_to_read(const TimeLine& time_line, const ViewRequest& request, unsigned width_bits) {
    if (std::isinf(request.most_read)) return width_bits;
    for (unsigned wide = width_bits; wide <= most_width_bits && slots_in(request, wide) > 1; ++wide) {
        double records = 0;
        for (const ViewRow& row : request.rows)
            for (const std::size_t line : row.lines)
                records += time_line.records_for(line, request.from >> wide, wide, slots_in(request, wide));
        if (records <= request.most_read) return wide;
    }
    return width_bits; // wider slots do not help
}

View empty_view(const TimeLine& time_line, const ViewRequest& request) {
    View view;
    const auto length = static_cast<std::uint64_t>(request.to) - static_cast<std::uint64_t>(request.from);
    const double wanted = static_cast<double>(length) * request.pixels_a_slot / std::max(request.pixels, 1U);
    constexpr double widest = 0x1p61;
    view.wanted = std::max<GlobalTime>(1, static_cast<GlobalTime>(std::min(wanted, widest)));
    view.width_bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(view.wanted - 1)));
    view.width_bits = width_to_read(time_line, request, view.width_bits);
    view.first = request.from >> view.width_bits;
    view.slots = slots_in(request, view.width_bits);
    view.rows.resize(request.rows.size());
    view.totals.resize(view.slots);
    return view;
}

} // namespace

View view(const TimeLine& time_line, const FunctionNames& names, const ViewRequest& request, unsigned threads) {
    View view = empty_view(time_line, request);
    std::vector<RepresentativeChoice> rows;
    std::vector<std::pair<std::size_t, std::size_t>> lines; // row, line
    for (std::size_t row = 0; row < request.rows.size(); ++row) {
        rows.emplace_back(time_line, names, view);
        for (const std::size_t line : request.rows[row].lines) lines.emplace_back(row, line);
    }
    std::vector<std::mutex> locks(rows.size());
    share_work(lines.size(), threads, [&](std::size_t i) {
        const auto [row, line] = lines[i];
        const Slots slots = time_line.slots(line, view.first, view.width_bits, view.slots);
        const std::lock_guard hold{locks[row]};
        rows[row].add(line, slots);
    });
    share_work(rows.size(), threads, [&](std::size_t row) { view.rows[row] = rows[row].function_slots(); });
    share_work(view.slots, threads, [&](std::size_t slot) {
        for (const RepresentativeChoice& row : rows) row.add_to(slot, view.totals[slot]);
    });
    if (request.most_links > 0)
        for (const LinkKind kind : {LinkKind::message, LinkKind::wait, LinkKind::collective})
            view.links[static_cast<std::size_t>(kind)] = links_shown(time_line, request, view, kind, threads);
    if (request.most_values > 0) view.counters = counters_shown(time_line, request, view, threads);
    view.no_core = no_core_shown(time_line, request, view, threads);
    return view;
}

} // namespace tactus
