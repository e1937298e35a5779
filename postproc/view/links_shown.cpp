#include "postproc/view/links_shown.hpp"

#include "postproc/view/share_work.hpp"
#include "postproc/view/view.hpp"

#include <algorithm>
#include <bit>
#include <optional>
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

    // From slots on with which there cannot be too many, narrower ones as long as there are not.
    LinksShown run(std::size_t most, unsigned threads) const {
        const unsigned narrowest = std::max(view_.width_bits, time_line_.links().narrowest(kind_));
        const auto window = static_cast<std::uint64_t>(view_.to() - view_.from());
        const unsigned widest =
            std::max(narrowest, std::min(static_cast<unsigned>(std::bit_width(window)), most_width_bits));
        unsigned width_bits = narrowest;
        while (width_bits < widest && at_most(width_bits) > most) ++width_bits;
        LinksShown shown{width_bits, *sums_of(width_bits, threads, SIZE_MAX)};
        while (width_bits-- > narrowest) {
            auto more = sums_of(width_bits, threads, most);
            if (!more) break;
            shown = {width_bits, std::move(*more)};
        }
        return shown;
    }

  private:
    // Whole slots that cover the window.
    struct WholeSlots {
        unsigned width_bits;
        GlobalTime from;
        GlobalTime to;
    };
    [[nodiscard]] WholeSlots slots(unsigned width_bits) const {
        return {width_bits, view_.from() >> width_bits << width_bits,
                (((view_.to() - 1) >> width_bits) + 1) << width_bits};
    }
    [[nodiscard]] std::vector<IndexEntry> pieces_for(const WholeSlots& here) const {
        return time_line_.links().pieces_for(kind_, here.width_bits, here.from, here.to);
    }
    [[nodiscard]] std::uint64_t at_most(unsigned width_bits) const {
        std::uint64_t sums = 0;
        for (const IndexEntry& piece : pieces_for(slots(width_bits))) sums += tactus::sums_of(piece);
        return sums;
    }

    // Nothing: they are more than `most`.
    [[nodiscard]] std::optional<std::vector<LinkSum>> sums_of(unsigned width_bits, unsigned threads,
                                                              std::size_t most) const {
        constexpr std::size_t batch = 32;
        const WholeSlots here = slots(width_bits);
        const std::vector<IndexEntry> pieces = pieces_for(here);
        LinkMap all{kind_};
        for (std::size_t first = 0; first < pieces.size(); first += batch) {
            std::vector<std::vector<LinkSum>> parts(std::min(batch, pieces.size() - first));
            share_work(parts.size(), threads, [&](std::size_t i) {
                const auto piece = time_line_.links().read(kind_, pieces[first + i]);
                if (piece)
                    parts[i] = part_of(**piece, here);
                else
                    time_line_.note(piece.error());
            });
            for (const std::vector<LinkSum>& part : parts)
                for (const LinkSum& sum : part) all.add(sum);
            if (all.size() > most) return {};
        }
        return all.take();
    }

    // In slots of that width.
    [[nodiscard]] std::vector<LinkSum> part_of(const LinkLevel& level, const WholeSlots& here) const {
        std::vector<LinkSum> part;
        for (LinkSum sum : level.sums) {
            const std::int64_t first = std::min(sum.from_slot, sum.to_slot);
            const std::int64_t last = std::max(sum.from_slot, sum.to_slot);
            if (first >= here.to >> level.width_bits || last < here.from >> level.width_bits || !put_in_rows(sum))
                continue;
            sum.from_slot >>= here.width_bits - level.width_bits;
            sum.to_slot >>= here.width_bits - level.width_bits;
            if (kind_ == LinkKind::collective) sum.to_slot = sum.from_slot; // one that ends elsewhere is the same
            part.push_back(sum);
        }
        return part;
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

LinksShown links_shown(const TimeLine& time_line, const ViewRequest& request, const View& view, LinkKind kind,
                       unsigned threads) {
    return Showing{time_line, request, view, kind}.run(request.most_links, threads);
}

} // namespace tactus
