#include "postproc/view/links_shown.hpp"

#include "postproc/view/view.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace tactus {
namespace {

class Showing {
  public:
    Showing(const TimeLine& time_line, const ViewRequest& request, const View& view, LinkKind kind)
        : time_line_{time_line}, view_{view}, kind_{kind} {
        for (std::size_t row = 0; row < request.rows.size(); ++row)
            for (const std::size_t line : request.rows[row].lines) {
                const Line& thread = time_line.lines()[line];
                rows_.try_emplace(thread_of(time_line.rank_of(thread), thread.lane), row);
            }
    }

    // From slots as wide as the window on, as long as there are not too many.
    LinksShown run(std::size_t most) const {
        const unsigned narrowest = std::max(view_.width_bits, time_line_.links().narrowest(kind_));
        const auto window = static_cast<std::uint64_t>(view_.to() - view_.from());
        unsigned width_bits =
            std::max(narrowest, std::min(static_cast<unsigned>(std::bit_width(window)), most_width_bits));
        LinksShown shown{width_bits, sums_of(width_bits)};
        while (width_bits-- > narrowest) {
            std::vector<LinkSum> more = sums_of(width_bits);
            if (more.size() > most) break;
            shown = {width_bits, std::move(more)};
        }
        return shown;
    }

  private:
    std::vector<LinkSum> sums_of(unsigned width_bits) const {
        const GlobalTime width = GlobalTime{1} << width_bits;
        const GlobalTime from = view_.from() >> width_bits << width_bits;
        const GlobalTime to = ((view_.to() - 1) >> width_bits << width_bits) + width;
        std::vector<LinkSum> sums;
        time_line_.each_link(kind_, width_bits, from, to, [&](LinkSum sum, unsigned stored_bits) {
            if (!put_in_rows(sum)) return;
            sum.from_slot >>= width_bits - stored_bits;
            sum.to_slot >>= width_bits - stored_bits;
            if (kind_ == LinkKind::collective) sum.to_slot = sum.from_slot; // one that ends elsewhere is the same
            sums.push_back(sum);
        });
        return widened(sums, kind_, 0);
    }

    bool put_in_rows(LinkSum& sum) const {
        if (kind_ == LinkKind::collective) return true;
        return put_in_row(sum.one) && (kind_ == LinkKind::wait || put_in_row(sum.other));
    }
    bool put_in_row(std::uint64_t& thread) const {
        const auto row = rows_.find(thread);
        if (row == rows_.end()) return false;
        thread = row->second;
        return true;
    }

    const TimeLine& time_line_;
    const View& view_;
    LinkKind kind_;
    std::unordered_map<std::uint64_t, std::size_t> rows_; // by thread
};

} // namespace

LinksShown links_shown(const TimeLine& time_line, const ViewRequest& request, const View& view, LinkKind kind) {
    return Showing{time_line, request, view, kind}.run(request.most_links);
}

} // namespace tactus
