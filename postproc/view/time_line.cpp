#include "postproc/view/time_line.hpp"

#include "postproc/compensate/delay_lines.hpp"
#include "postproc/parallel/share_work.hpp"

#include <algorithm>
#include <optional>

namespace tactus {

TimeLine::TimeLine(const Trace& trace, TimesShown times, TellWork tell)
    : trace_{trace}, times_{times}, tell_{std::move(tell)} {
    for (const RankFile& file : trace.ranks) {
        functions_.emplace_back(file.definitions());
        values_.emplace_back(file.definitions());
    }
    if (!find_or_make()) {
        times_ = TimesShown::measured; // and `problems` says why
        find_or_make();
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) add_lines(rank);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const LaneTimes& known = lines_[i].times;
        begin_ = i == 0 ? known.begin() : std::min(begin_, known.begin());
        end_ = i == 0 ? known.end() : std::max(end_, known.end());
    }
}

// False when there is no room for the delays that these times need.
bool TimeLine::find_or_make() {
    ranks_.clear();
    for (const RankFile& file : trace_.ranks) ranks_.emplace_back(file);
    std::vector<char> found(ranks_.size());
    share_work(ranks_.size(), 0,
               [&](std::size_t rank) { found[rank] = ranks_[rank].find(trace_.path, times_) ? 1 : 0; });
    std::vector<std::size_t> missing;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        if (found[rank] == 0) missing.push_back(rank);
    return missing.empty() || make_missing(missing);
}

// Delays travel with messages, so those of a rank are known only once those of all ranks are. False when there is no
// room for them.
bool TimeLine::make_missing(const std::vector<std::size_t>& ranks) {
    if (tell_) tell_("time lines are added up");
    DelayLines delays;
    if (times_ == TimesShown::compensated) {
        auto found = delay_lines(trace_, DelaySource::computed);
        if (!found) {
            note(found.error());
            return false;
        }
        delays = std::move(*found);
    }
    share_work(ranks.size(), 0, [&](std::size_t i) {
        RankLines& rank = ranks_[ranks[i]];
        RankLines::DelayAt delay;
        if (times_ == TimesShown::compensated)
            delay = [&](std::uint32_t lane, Ticks tick) {
                const auto line = delays.find({rank.file().header().rank, lane});
                return line == delays.end() ? GlobalTime{0} : line->second.at(tick);
            };
        rank.make(trace_.path, delay);
    });
    return true;
}

const LinkStore& TimeLine::links() const {
    std::call_once(links_made_, [&] {
        links_.emplace(
            trace_, times_, ranks_, [this](const Error& why) { note(why); }, tell_);
    });
    return *links_;
}

void TimeLine::add_lines(std::size_t rank) {
    const RankLines& known = ranks_[rank];
    for (const Error& problem : known.problems()) note(problem);
    const std::vector<LaneBlocks> lanes = lanes_of(known.file());
    const std::size_t first = lines_.size();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        Line& line = lines_.emplace_back();
        line.rank = rank;
        line.lane = lanes[i].front().lane;
        line.blocks = lanes[i];
        line.clock = &known.clock(i);
        line.times = times_of(lanes[i], *line.clock);
    }
    for (const IndexEntry& entry : known.entries()) {
        const auto line = std::find_if(lines_.begin() + static_cast<std::ptrdiff_t>(first), lines_.end(),
                                       [&](const Line& candidate) { return candidate.lane == entry.lane; });
        if (line == lines_.end()) continue;
        if (entry.records >> 8 == static_cast<std::uint32_t>(TimeLinePart::spans))
            line->chunks.push_back({.width_bits = static_cast<unsigned>(entry.records & 0xff),
                                    .chunk = static_cast<std::int64_t>(entry.sequence),
                                    .entry = entry});
        else if (part_of(entry) == TimeLinePart::counters && width_bits_of(entry) <= most_width_bits)
            line->counters.push_back(entry);
        else if (part_of(entry) == TimeLinePart::no_core && width_bits_of(entry) <= most_width_bits)
            line->no_core.push_back(entry);
        else if (entry.records == time_line_key(TimeLinePart::frames, 0))
            read_frames(*line, entry);
    }
    const auto key = [](const Line::Stored& stored) { return std::pair{stored.width_bits, stored.chunk}; };
    for (std::size_t i = first; i < lines_.size(); ++i) {
        std::sort(lines_[i].chunks.begin(), lines_[i].chunks.end(),
                  [&](const auto& a, const auto& b) { return key(a) < key(b); });
        put_in_order(lines_[i].counters);
        put_in_order(lines_[i].no_core);
    }
}

void TimeLine::read_frames(Line& line, const IndexEntry& entry) {
    const auto bytes = ranks_[line.rank].read(entry);
    auto frames = bytes ? decode_frames(*bytes) : Result<std::vector<Frame>>{bytes.error()};
    if (frames)
        line.frames = std::move(*frames);
    else
        note(frames.error());
}

unsigned Line::fitting(unsigned width_bits) const {
    const unsigned narrowest = chunks.empty() ? 0 : chunks.front().width_bits % level_bits;
    const unsigned width = std::min(width_bits, most_width_bits);
    return width < narrowest ? width : width - (width - narrowest) % level_bits;
}

const Line::Stored* Line::stored(unsigned width_bits, std::int64_t chunk) const {
    const auto less = [](const Stored& stored, const std::pair<unsigned, std::int64_t>& place) {
        return std::pair{stored.width_bits, stored.chunk} < place;
    };
    const auto found = std::lower_bound(chunks.begin(), chunks.end(), std::pair{width_bits, chunk}, less);
    const bool is_it = found != chunks.end() && found->width_bits == width_bits && found->chunk == chunk;
    return is_it ? &*found : nullptr;
}

TimeLine::SharedSlots TimeLine::known_chunk(std::size_t number, unsigned width_bits, std::int64_t chunk) const {
    const PartKey key{number, width_bits, chunk};
    if (auto known = cache_.find(key)) return known;
    const Line& line = lines_[number];
    const Line::Stored* const stored = line.stored(width_bits, chunk);
    if (stored == nullptr) return nullptr;
    const auto bytes = ranks_[line.rank].read(stored->entry);
    auto slots =
        bytes ? decode_slots(*bytes, chunk << chunk_bits, width_bits, chunk_slots) : Result<Slots>{bytes.error()};
    if (!slots) {
        note(slots.error());
        return nullptr;
    }
    auto known = std::make_shared<const Slots>(std::move(*slots));
    cache_.add(key, known);
    return known;
}

// Makes the missing chunks from the records. Their slots have exactly the width that was asked for, so that spans are
// added up only once.
void TimeLine::make_chunks(std::size_t number, unsigned width_bits, unsigned time_bits, std::int64_t first,
                           std::vector<SharedSlots>& chunks) const {
    const unsigned slot_bits = time_bits - width_bits;
    const auto key_of = [&](std::size_t i) {
        return PartKey{number, width_bits, first + static_cast<std::int64_t>(i)};
    };
    for (std::size_t i = 0; i < chunks.size(); ++i)
        if (!chunks[i]) chunks[i] = cache_.find(key_of(i));
    for (std::size_t end = chunks.size(); end > 0; --end) {
        if (chunks[end - 1]) continue;
        std::size_t begin = end - 1;
        while (begin > 0 && !chunks[begin - 1]) --begin;
        std::vector<SlotsMaker> makers;
        for (std::size_t i = begin; i < end; ++i)
            makers.emplace_back(key_of(i).part << slot_bits, width_bits, std::size_t{1} << slot_bits);
        const GlobalTime from = key_of(begin).part << time_bits;
        const GlobalTime to = key_of(end).part << time_bits;
        read_back(number, from, to, [&](const Span& span) {
            if (makers.size() == 1) return makers.front().add(span, from, to);
            const std::int64_t low = std::max(span.begin, from) >> time_bits;
            for (std::int64_t chunk = (std::min(span.end, to) - 1) >> time_bits; chunk >= low; --chunk)
                makers[static_cast<std::size_t>(chunk - key_of(begin).part)].add(span, chunk << time_bits,
                                                                                 (chunk + 1) << time_bits);
        });
        for (std::size_t i = begin; i < end; ++i) {
            Slots made = makers[i - begin].take();
            made.entries.shrink_to_fit();
            made.longs.shrink_to_fit();
            chunks[i] = std::make_shared<const Slots>(std::move(made));
            cache_.add(key_of(i), chunks[i]);
        }
        end = begin + 1;
    }
}

TimeLine::Chunks TimeLine::chunks_for(const Line& line, std::int64_t first, unsigned width_bits,
                                      std::size_t count) const {
    const GlobalTime from = std::max(first << width_bits, line.times.begin());
    const GlobalTime to = std::min((first + static_cast<std::int64_t>(count)) << width_bits, line.times.end());
    if (from >= to) return {};
    const unsigned fitting = line.fitting(width_bits);
    const unsigned kept = line.chunks.empty() ? fitting : std::min(fitting, line.chunks.back().width_bits);
    Chunks chunks{.width_bits = kept, .made_bits = kept == fitting ? width_bits : kept};
    chunks.first = from >> chunks.time_bits();
    chunks.end = ((to - 1) >> chunks.time_bits()) + 1;
    return chunks;
}

double TimeLine::records_for(std::size_t number, std::int64_t first, unsigned width_bits, std::size_t count) const {
    const Line& line = lines_[number];
    const Chunks of = chunks_for(line, first, width_bits, count);
    double records = 0;
    for (std::int64_t chunk = of.first; chunk < of.end; ++chunk)
        if (line.stored(of.width_bits, chunk) == nullptr)
            records += line.times.records_between(chunk << of.time_bits(), (chunk + 1) << of.time_bits());
    return records;
}

Slots TimeLine::slots(std::size_t number, std::int64_t first, unsigned width_bits, std::size_t count) const {
    SlotsMaker maker{first, width_bits, count};
    const Chunks of = chunks_for(lines_[number], first, width_bits, count);
    if (of.first == of.end) return maker.take();
    std::vector<SharedSlots> chunks;
    for (std::int64_t chunk = of.first; chunk < of.end; ++chunk)
        chunks.push_back(known_chunk(number, of.width_bits, chunk));
    make_chunks(number, of.made_bits, of.time_bits(), of.first, chunks);
    for (std::size_t i = chunks.size(); i-- > 0;) {
        const GlobalTime begin = chunks[i]->time_of(0);
        maker.add(*chunks[i], begin, begin + (GlobalTime{1} << of.time_bits()));
    }
    return maker.take();
}

TimedBlock TimeLine::read(const Line& line, std::size_t block, TimedBlock room) const {
    auto records = trace_.ranks[line.rank].read_times(line.blocks[block], std::move(room));
    if (records) return std::move(*records);
    note(records.error());
    return {};
}

// Finds the block from which to read backward, so that the end of every span that begins before `to` is known. Appends
// the blocks that it read on the way, of which that block is the last.
std::size_t TimeLine::last_block_for(const Line& line, GlobalTime to, std::vector<TimedBlock>& read_so_far) const {
    const SpanFunctions& known = functions_[line.rank];
    const ProcessClock& clock = *line.clock;
    std::size_t block = std::min(line.times.block_behind(to - 1), line.blocks.size() - 1);
    while (true) {
        read_so_far.push_back(read(line, block));
        bool reaches = block + 1 == line.blocks.size();
        known.each_backward(read_so_far.back(), [&](Ticks, Ticks leave, std::uint32_t) {
            reaches = reaches || clock.at(leave) >= to;
            return false;
        });
        if (reaches) return block;
        ++block;
    }
}

namespace {

// A tick whose time is `to` or later.
Ticks end_of_interest(const ProcessClock& clock, GlobalTime to) {
    constexpr Ticks rounding = 2;
    const Ticks tick = clock.tick_at(to);
    const bool known = tick < ~Ticks{0} - rounding && clock.at(tick + rounding) >= to;
    return known ? tick + rounding : ~Ticks{0};
}

} // namespace

void TimeLine::read_back(std::size_t number, GlobalTime from, GlobalTime to, const TakeSpan& take) const {
    const Line& line = lines_[number];
    if (line.blocks.empty() || from >= to || to <= line.times.begin() || from >= line.times.end()) return;
    ClockCursor cursor{*line.clock};
    GlobalTime reached = std::numeric_limits<GlobalTime>::max();
    SpansBackward spans{cursor, [&](const Span& span) {
                            reached = span.begin;
                            if (span.begin < to && span.end > from) take(span);
                        }};
    const std::size_t earliest = line.times.block_behind(from);
    const std::size_t latest = std::min(line.times.block_behind(to - 1) + 1, line.blocks.size());
    trace_.ranks[line.rank].expect(line.blocks.subspan(earliest, latest - earliest));
    std::vector<TimedBlock> later;
    std::size_t block = last_block_for(line, to, later);
    const Ticks last = line.blocks[block].last;
    std::vector<Frame> around;
    for (const Frame& frame : line.frames)
        if (block + 1 < line.blocks.size() && frame.enter < last && frame.leave > last) around.push_back(frame);
    spans.open(around);
    const Ticks end = end_of_interest(*line.clock, to);
    constexpr Ticks none = ~Ticks{0};
    Ticks left_out = none; // enter of the last record left out because it begins at `end` or later
    TimedBlock records;
    while (true) {
        if (later.empty()) {
            records = read(line, block, std::move(records));
        } else {
            records = std::move(later.back());
            later.pop_back();
        }
        functions_[line.rank].each_backward(records, [&](Ticks enter, Ticks leave, std::uint32_t function) {
            if (leave > left_out) return true;
            if (enter >= end && function != span_function::not_recorded) {
                left_out = enter;
                return true;
            }
            if (left_out != none) spans.go_on_from(left_out);
            left_out = none;
            spans.add(enter, leave, function);
            return reached > from;
        });
        if (reached <= from) return;
        if (block == 0) break;
        --block;
    }
    if (left_out != none) spans.go_on_from(left_out);
    spans.finish();
}

// Takes the widest stored slots that are not too wide, or else the records.
void TimeLine::counters(std::size_t number, unsigned width_bits, GlobalTime from, GlobalTime to,
                        const TakeCounter& take) const {
    const Line& line = lines_[number];
    std::optional<unsigned> stored;
    for (const IndexEntry& entry : line.counters) {
        if (width_bits_of(entry) > width_bits || (stored && width_bits_of(entry) != *stored)) continue;
        stored = width_bits_of(entry);
        if (static_cast<GlobalTime>(entry.first) >= to || static_cast<GlobalTime>(entry.last) <= from) continue;
        const auto bytes = ranks_[line.rank].read(entry);
        auto sums = bytes ? decode_counters(*bytes, *stored) : Result<std::vector<CounterSum>>{bytes.error()};
        if (!sums) {
            note(sums.error());
            continue;
        }
        for (CounterSum& sum : *sums) {
            sum.slot >>= width_bits - *stored;
            if (sum.slot >= from >> width_bits && sum.slot < to >> width_bits) take(sum);
        }
    }
    if (stored || line.counters.empty()) return;
    TimedBlock records;
    for (std::size_t block = line.times.block_behind(from - 1); block < line.blocks.size(); ++block) {
        if (block > 0 && line.times.end_of(block - 1) >= to) break;
        records = read(line, block, std::move(records));
        values_[line.rank].each_backward(records, [&](Ticks tick, std::uint32_t counter, double value) {
            const GlobalTime time = within_reach(line.clock->at(tick));
            if (time >= from && time < to) take(sum_of_value(counter, time, value, width_bits));
        });
    }
}

void TimeLine::no_core(std::size_t number, unsigned width_bits, GlobalTime from, GlobalTime to,
                       const TakeNoCore& take) const {
    const Line& line = lines_[number];
    if (line.no_core.empty()) return;
    const auto fitting =
        std::ranges::find_if(line.no_core, [&](const IndexEntry& entry) { return width_bits_of(entry) <= width_bits; });
    const unsigned stored = width_bits_of(fitting != line.no_core.end() ? *fitting : line.no_core.back());
    for (const IndexEntry& entry : line.no_core) {
        if (width_bits_of(entry) != stored) continue;
        if (static_cast<GlobalTime>(entry.first) >= to || static_cast<GlobalTime>(entry.last) <= from) continue;
        const auto bytes = ranks_[line.rank].read(entry);
        const auto sums = bytes ? decode_no_core(*bytes, stored) : Result<std::vector<NoCoreSum>>{bytes.error()};
        if (!sums) {
            note(sums.error());
            continue;
        }
        for (const NoCoreSum& sum : *sums)
            if (sum.slot >= from >> stored && sum.slot <= (to - 1) >> stored) take(sum, stored);
    }
}

void TimeLine::note(const Error& error) const {
    const std::lock_guard hold{problems_lock_};
    keep_error(problems_, error);
}

std::vector<Error> TimeLine::problems() const {
    const std::lock_guard hold{problems_lock_};
    return problems_;
}

} // namespace tactus
