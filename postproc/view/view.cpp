#include "postproc/view/view.hpp"

#include "postproc/view/row_sums.hpp"
#include "postproc/view/share_work.hpp"

#include <bit>
#include <mutex>

namespace tactus {
namespace {

View empty_view(const ViewRequest& request) {
    View view;
    const auto length = static_cast<std::uint64_t>(request.to) - static_cast<std::uint64_t>(request.from);
    const double wanted = static_cast<double>(length) * request.pixels_a_slot / std::max(request.pixels, 1U);
    constexpr double widest = 0x1p61;
    view.wanted = std::max<GlobalTime>(1, static_cast<GlobalTime>(std::min(wanted, widest)));
    view.width_bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(view.wanted - 1)));
    view.first = request.from >> view.width_bits;
    view.slots = static_cast<std::size_t>(((request.to - 1) >> view.width_bits) - view.first) + 1;
    view.rows.resize(request.rows.size());
    view.totals.resize(view.slots);
    return view;
}

} // namespace

View view(const TimeLine& time_line, const FunctionNames& names, const ViewRequest& request, unsigned threads) {
    View view = empty_view(request);
    std::vector<RowSums> rows;
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
    for (const RowSums& row : rows) row.add_to(view.totals);
    if (request.most_links > 0)
        for (const LinkKind kind : {LinkKind::message, LinkKind::wait, LinkKind::collective})
            view.links[static_cast<std::size_t>(kind)] = links_shown(time_line, request, view, kind, threads);
    if (request.most_values > 0) view.counters = counters_shown(time_line, request, view, threads);
    return view;
}

} // namespace tactus
