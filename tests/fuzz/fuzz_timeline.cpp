// What tactus timeline computes from a trace of one rank, and from a stored index, which may have any content.
#include "input.hpp"
#include "mend.hpp"
#include "postproc/lod/rank_index.hpp"
#include "postproc/view/rows.hpp"

using namespace tactus;

namespace {

void look_at_links(ByteView bytes) {
    for (const LinkKind kind : {LinkKind::message, LinkKind::wait, LinkKind::collective})
        for (const unsigned width_bits : {0U, 20U, most_width_bits}) {
            const auto sums = decode_links(bytes, kind, width_bits);
            if (!sums) continue;
            static_cast<void>(encode(*sums, kind, width_bits));
            LinkMap all{kind};
            for (const LinkSum& sum : *sums) {
                all.add(sum);
                static_cast<void>(sum.mean_from() + sum.mean_to());
            }
            static_cast<void>(widened(all.take(), kind, level_bits));
        }
}

void look_at_counters(ByteView bytes) {
    for (const unsigned width_bits : {0U, 20U, most_width_bits}) {
        const auto sums = decode_counters(bytes, width_bits);
        if (!sums) continue;
        static_cast<void>(encode(*sums, width_bits));
        CounterMap all;
        for (const CounterSum& sum : *sums) all.add(sum);
        static_cast<void>(all.take());
    }
}

void look_at_no_core(ByteView bytes) {
    for (const unsigned width_bits : {0U, 20U, most_width_bits})
        if (const auto sums = decode_no_core(bytes, width_bits)) static_cast<void>(encode(*sums));
}

void look_at_slots(ByteView bytes) {
    static_cast<void>(decode_frames(bytes));
    constexpr unsigned width_bits = 10;
    const auto slots = decode_slots(bytes, 0, width_bits, chunk_slots);
    if (!slots) return;
    static_cast<void>(encode(*slots));
    SlotsMaker wider{0, width_bits + level_bits, chunk_slots};
    wider.add(*slots, 0, GlobalTime{1} << (width_bits + chunk_bits));
    static_cast<void>(encode(wider.take()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    look_at_slots({data, size});
    look_at_links({data, size});
    look_at_counters({data, size});
    look_at_no_core({data, size});
    const auto repaired = with_right_checksums(data, size);
    const MemoryFile input{repaired.data(), repaired.size()};
    auto file = RankFile::open(input.path());
    if (!file) return 0;
    Trace trace{.path = "/dev/null", .ranks = {}, .problems = {}}; // there is no place for an index beside it
    trace.ranks.push_back(std::move(*file));
    const FunctionNames names{trace};
    for (const TimesShown times : {TimesShown::measured, TimesShown::compensated}) {
        const TimeLine time_line{trace, times};
        if (time_line.begin() >= time_line.end()) continue;
        ViewRequest request{.from = time_line.begin(),
                            .to = time_line.end(),
                            .pixels = 64,
                            .rows = {},
                            .most_links = 20,
                            .most_values = 20};
        request.rows = rows_by(trace, time_line, RowsBy::threads);
        for (const ViewRow& row : rows_by(trace, time_line, RowsBy::all)) request.rows.push_back(row);
        for (int closer = 0; closer < 20 && request.from < request.to; ++closer) {
            static_cast<void>(view(time_line, names, request, 1));
            request.to = request.from + (request.to - request.from) / 8;
        }
    }
    return 0;
}
