#include "postproc/view/links_shown.hpp"

#include "postproc/parallel/share_work.hpp"
#include "postproc/view/narrowest_slots.hpp"
#include "postproc/view/view.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace tactus {
namespace {

class LinkRows {
  public:
    LinkRows(const TimeLine& time_line, const ViewRequest& request, const View& view, LinkKind kind)
        : time_line_{time_line}, view_{view}, kind_{kind} {
        for (std::size_t row = 0; row < request.rows.size(); ++row)
            for (const std::size_t line : request.rows[row].lines) {
                const Line& thread = time_line.lines()[line];
                rows_.try_emplace(thread_of(time_line.rank_of(thread), thread.lane), row);
            }
    }

    LinksShown run(const ViewRequest& request, unsigned threads) const {
        const LinkStore& links = time_line_.links();
        const unsigned low = std::max(view_.width_bits, links.narrowest(kind_)); // does not need all links gathered
        LinksShown shown = narrowest(low, request.most_links, threads);
        // If the window touches only a few of these slots, most of their links may lie outside of the window. Narrower
        // slots may then have few enough links.
        const bool could_be_narrower =
            low > view_.width_bits &&
            (shown.width_bits == low || spans_few_slots(view_.from(), view_.to(), shown.width_bits));
        if (!could_be_narrower) return shown;
        if (request.gather_links) links.gather_all();
        if (links.has_all()) return narrowest(view_.width_bits, request.most_links, threads);
        shown.wait_for_gathering = true;
        return shown;
    }

  private:
    [[nodiscard]] LinksShown narrowest(unsigned low, std::size_t most, unsigned threads) const {
        auto [width_bits, sums] =
            narrowest_slots<LinkSum>(low, view_.to() - view_.from(), most, [&](unsigned width, std::size_t no_more) {
                return sums_of(width, threads, no_more);
            });
        return {width_bits, std::move(sums)};
    }
    // Returns nothing when there are more than `most`.
    [[nodiscard]] std::optional<std::vector<LinkSum>> sums_of(unsigned width_bits, unsigned threads,
                                                              std::size_t most) const {
        constexpr std::size_t batch = 32;
        const std::vector<LinkPiece> pieces =
            time_line_.links().pieces_for(kind_, width_bits, view_.from(width_bits), view_.to(width_bits));
        LinkMap all{kind_};
        for (std::size_t first = 0; first < pieces.size(); first += batch) {
            std::vector<std::vector<LinkSum>> parts(std::min(batch, pieces.size() - first));
            share_work(parts.size(), threads, [&](std::size_t i) {
                const auto piece = time_line_.links().read(kind_, pieces[first + i]);
                if (piece)
                    parts[i] = part_of(**piece, width_bits);
                else
                    time_line_.note(piece.error());
            });
            for (const std::vector<LinkSum>& part : parts)
                for (const LinkSum& sum : part) all.add(sum);
            if (all.size() > most) return {};
        }
        return all.take();
    }

    // The sums of a level that lie in the window and belong to rows, in slots of 2^width_bits units.
    [[nodiscard]] std::vector<LinkSum> part_of(const LinkLevel& level, unsigned width_bits) const {
        const std::int64_t end = view_.to(width_bits) >> level.width_bits;
        const std::int64_t begin = view_.from(width_bits) >> level.width_bits;
        std::vector<LinkSum> part;
        for (LinkSum sum : level.sums) {
            const std::int64_t first = std::min(sum.from_slot, sum.to_slot);
            const std::int64_t last = std::max(sum.from_slot, sum.to_slot);
            if (first >= end || last < begin || !put_in_rows(sum)) continue;
            sum.from_slot >>= width_bits - level.width_bits;
            sum.to_slot >>= width_bits - level.width_bits;
            if (kind_ == LinkKind::collective) sum.to_slot = sum.from_slot; // where it ends makes no difference
            part.push_back(sum);
        }
        return part;
    }

    bool put_in_rows(LinkSum& sum) const {
        if (kind_ == LinkKind::collective) return true;
        return put_in_row(sum.source) && (kind_ == LinkKind::wait || put_in_row(sum.target));
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

LinksShown links_shown(const TimeLine& time_line, const ViewRequest& request, const View& view, LinkKind kind,
                       unsigned threads) {
    return LinkRows{time_line, request, view, kind}.run(request, threads);
}

} // namespace tactus
