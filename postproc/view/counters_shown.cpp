#include "postproc/view/counters_shown.hpp"

#include "postproc/parallel/share_work.hpp"
#include "postproc/view/narrowest_slots.hpp"
#include "postproc/view/view.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

namespace tactus {
namespace {

class CounterRows {
  public:
    CounterRows(const TimeLine& time_line, const ViewRequest& request, const View& view, unsigned threads)
        : time_line_{time_line}, view_{view}, threads_{threads} {
        for (std::size_t row = 0; row < request.rows.size(); ++row)
            for (const std::size_t line : request.rows[row].lines)
                if (!time_line.lines()[line].counters.empty()) lines_.emplace_back(row, line);
    }

    CountersShown run(std::size_t most) {
        CountersShown shown;
        shown.names = find_names();
        shown.width_bits = view_.width_bits;
        if (lines_.empty()) return shown;
        std::tie(shown.width_bits, shown.sums) = narrowest_slots<CounterSum>(
            least_width(), view_.to() - view_.from(), most,
            [&](unsigned width_bits, std::size_t no_more) { return sums_of(width_bits, no_more); });
        return shown;
    }

  private:
    // Finds the names of all counters in the trace, also of ranks that are not in the picture.
    std::vector<CounterName> find_names() {
        std::vector<CounterName> names;
        const auto each = [&](const auto& take) {
            for (std::size_t rank = 0; rank < time_line_.trace().ranks.size(); ++rank)
                for (const Counter& counter : time_line_.trace().ranks[rank].definitions().counters)
                    take(rank, counter.number, CounterName{counter.name, counter.unit});
        };
        each([&](std::size_t, std::uint32_t, CounterName name) { names.push_back(std::move(name)); });
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        each([&](std::size_t rank, std::uint32_t number, const CounterName& name) {
            const auto index = std::lower_bound(names.begin(), names.end(), name) - names.begin();
            numbers_[{rank, number}] = static_cast<std::uint32_t>(index);
        });
        return names;
    }

    // The narrowest slots allowed. Slots narrower than the stored ones are made from records, unless these are too
    // many.
    [[nodiscard]] unsigned least_width() const {
        constexpr double most_records = 1 << 21;
        double records = 0;
        unsigned stored = 0;
        for (const auto& [row, line] : lines_) {
            const Line& thread = time_line_.lines()[line];
            stored = std::max(stored, width_bits_of(thread.counters.back()));
            records += thread.times.records_between(view_.from(), view_.to());
        }
        return records > most_records ? std::max(stored, view_.width_bits) : view_.width_bits;
    }

    // Returns nothing when there are more than `most`.
    [[nodiscard]] std::optional<std::vector<CounterSum>> sums_of(unsigned width_bits, std::size_t most) const {
        std::mutex lock;
        CounterMap all;
        share_work(lines_.size(), threads_, [&](std::size_t i) {
            const auto [row, line] = lines_[i];
            {
                const std::lock_guard hold{lock};
                if (all.size() > most) return;
            }
            CounterMap of_line;
            time_line_.counters(line, width_bits, view_.from(width_bits), view_.to(width_bits),
                                [&](const CounterSum& sum) { of_line.add(sum); });
            const std::lock_guard hold{lock};
            for (CounterSum sum : of_line.take()) {
                const auto number = numbers_.find({time_line_.lines()[line].rank, sum.counter});
                if (number == numbers_.end()) continue; // a damaged index
                sum.row = row;
                sum.counter = number->second;
                all.add(sum);
            }
        });
        if (all.size() > most) return {};
        return all.take();
    }

    const TimeLine& time_line_;
    const View& view_;
    unsigned threads_;
    std::vector<std::pair<std::size_t, std::size_t>> lines_;                 // pairs (row, line) with counters
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> numbers_; // (rank, counter) to index in the names
};

} // namespace

CountersShown counters_shown(const TimeLine& time_line, const ViewRequest& request, const View& view,
                             unsigned threads) {
    return CounterRows{time_line, request, view, threads}.run(request.most_values);
}

} // namespace tactus
