#include "cli/viewer/thread_calls.hpp"

#include "base/grammar.hpp"
#include "cli/dump/dump_events.hpp"
#include "trace/lane_walk.hpp"

#include <algorithm>
#include <map>

namespace tactus {
namespace {

bool is_shown(const Signature& what) { return what.kind == Kind::call || what.kind == Kind::region; }

const Symbol* symbol_of(const RankFile& file, const Signature& what) {
    for (const Symbol& symbol : file.definitions().symbols)
        if (symbol.number == what.type) return &symbol;
    return nullptr;
}

std::string name_of(const RankFile& file, const Signature& what) {
    if (what.kind == Kind::call) return name_of(what.function);
    const Symbol* const symbol = symbol_of(file, what);
    return symbol != nullptr ? symbol->name : '#' + std::to_string(what.type);
}

// Searches one thread.
class Looking {
  public:
    Looking(const TimeLine& time_line, std::size_t line, const Wanted& wanted, SourceLines& places)
        : line_{time_line.lines()[line]}, file_{time_line.trace().ranks[line_.rank]}, wanted_{wanted}, places_{places} {
    }

    // Returns a call only if it is better than `best`, the begin of the best call so far.
    std::optional<FoundCall> run(std::optional<GlobalTime> best) {
        best_ = best;
        if (wanted_.behind) {
            for (const IndexEntry& block : line_.blocks) {
                if (at(block.last) <= wanted_.time) continue;
                if (best_ && at(block.first) >= *best_) continue; // A later block may begin earlier.
                look_into(block);
            }
        } else {
            for (auto block = line_.blocks.rbegin(); block != line_.blocks.rend(); ++block) {
                if (at(block->first) >= wanted_.time) continue;
                if (best_ && at(block->last) <= *best_) break; // All calls that ended by then began earlier.
                look_into(*block);
            }
        }
        return found_;
    }

  private:
    [[nodiscard]] GlobalTime at(Ticks tick) const { return line_.clock->at(tick); }
    bool matches(const Signature& what) {
        if (!is_shown(what)) return false;
        if (wanted_.exact) return name_of(file_, what) == wanted_.text;
        const auto contains = [&](const std::string& text) {
            return lower(text).find(wanted_.text) != std::string::npos;
        };
        if (contains(name_of(file_, what))) return true;
        if (what.kind != Kind::call || what.place == 0) return false;
        const auto [known, fresh] = place_matches_.try_emplace(what.place, false);
        if (fresh) known->second = contains(places_.text(place_of(what.place, file_.definitions().modules)));
        return known->second;
    }
    void look_into(const IndexEntry& entry) {
        const auto block = file_.read_times(entry);
        if (!block) return; // The picture reports the damaged block.
        std::vector<bool> is_wanted;
        bool any = false;
        for (const Signature& what : block->dictionary) {
            is_wanted.push_back(matches(what));
            any = any || is_wanted.back();
        }
        if (!any) return;
        for (const TimedBlock::Timed& record : block->records) {
            if (!is_wanted[record.signature]) continue;
            const GlobalTime begin = at(record.enter);
            const bool good = wanted_.behind ? begin > wanted_.time && (!best_ || begin < *best_)
                                             : begin < wanted_.time && (!best_ || begin > *best_);
            if (!good) continue;
            best_ = begin;
            found_ = FoundCall{.begin = begin,
                               .end = at(record.leave),
                               .function = name_of(file_, block->dictionary[record.signature])};
        }
    }

    const Line& line_;
    const RankFile& file_;
    const Wanted& wanted_;
    SourceLines& places_;
    std::map<std::uint64_t, bool> place_matches_; // whether the text of a call place matches, by its address
    std::optional<GlobalTime> best_;
    std::optional<FoundCall> found_;
};

} // namespace

ThreadCalls calls_between(const TimeLine& time_line, std::size_t number, GlobalTime from, GlobalTime to,
                          std::size_t most) {
    constexpr std::size_t most_blocks = 64;
    const Line& line = time_line.lines()[number];
    const RankFile& file = time_line.trace().ranks[line.rank];
    ThreadCalls found;
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < line.blocks.size() && !found.more; ++i) {
        if (line.clock->at(line.blocks[i].last) <= from || line.clock->at(line.blocks[i].first) >= to) continue;
        found.more = ++blocks > most_blocks;
        for (LaneWalk walk{file, line.blocks.subspan(i, 1)}; !found.more && walk.next();) {
            const Record& record = walk.record();
            const GlobalTime begin = line.clock->at(record.enter);
            const GlobalTime end = line.clock->at(record.leave);
            if (!is_shown(record.what) || end <= from || begin >= to) continue;
            ThreadCall& call = found.calls.emplace_back();
            call = {.begin = begin, .end = end, .function = name_of(file, record.what), .text = {}, .place = {}};
            call.text = record.what.kind == Kind::call ? record_text(file, record, walk.words()) : call.function;
            if (record.what.kind == Kind::call && record.what.place != 0)
                call.place = place_of(record.what.place, file.definitions().modules);
            found.more = found.calls.size() >= most;
        }
    }
    std::stable_sort(found.calls.begin(), found.calls.end(),
                     [](const ThreadCall& a, const ThreadCall& b) { return a.begin < b.begin; });
    return found;
}

std::optional<FoundCall> find_call(const TimeLine& time_line, const Wanted& wanted, SourceLines& places) {
    Wanted small = wanted;
    if (!small.exact) small.text = lower(small.text);
    std::optional<FoundCall> best;
    for (std::size_t line = 0; line < time_line.lines().size(); ++line) {
        if (wanted.line && *wanted.line != line) continue;
        const auto known = best ? std::optional{best->begin} : std::nullopt;
        if (auto found = Looking{time_line, line, small, places}.run(known)) {
            best = std::move(found);
            best->line = line;
        }
    }
    return best;
}

} // namespace tactus
