#include "tests/unit/made/random_lanes.hpp"

#include <algorithm>
#include <random>
#include <set>

namespace tactus {
namespace {

using Random = std::mt19937_64;

std::int64_t below(Random& random, std::int64_t end) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
}

class LaneMaker {
  public:
    LaneMaker(Random& random, std::int64_t longest, MadeLane& lane) : random_{random}, longest_{longest}, lane_{lane} {}

    void make(std::size_t steps) {
        now_ = static_cast<Ticks>(below(random_, 500));
        while (lane_.records.size() < steps) step();
        while (!open_.empty()) end_region();
    }

  private:
    Ticks some_time() {
        constexpr std::int64_t scales[] = {2, 5, 20, 20, 300, 5000};
        return static_cast<Ticks>(below(random_, std::min(longest_, scales[below(random_, 6)])));
    }
    void step() {
        now_ += some_time();
        switch (below(random_, 12)) {
        case 0:
            if (open_.size() < 6) open_.push_back({now_++, symbol()});
            return;
        case 1:
            if (!open_.empty()) end_region();
            return;
        case 2:
            return call_with_callback();
        case 3:
            return misses();
        case 4:
            return add(Kind::stall, now_, now_ + 1 + some_time());
        case 5:
            return not_recorded();
        case 6:
            return scope();
        case 7:
            return add(Kind::comment, now_ + 1, now_ + 1);
        default:
            return call();
        }
    }
    void call() {
        constexpr Function any[] = {Function::Send, Function::Recv, Function::Barrier, Function::Wait};
        MadeRecord made = made_call(any[below(random_, 4)], now_, now_ + 1 + some_time());
        store(std::move(made));
    }
    // The records of what the callback did come first: a region, and a nested call.
    void call_with_callback() {
        const Ticks enter = now_;
        now_ += 1 + some_time();
        const Ticks region = now_++;
        MadeRecord nested = made_call(Function::Comm_rank, now_, now_ + 1 + some_time());
        nested.record.what.flags = flag::nested;
        store(std::move(nested));
        now_ += 1 + some_time();
        add(Kind::region, region, now_, symbol());
        store(made_call(Function::Allreduce, enter, now_ + 1 + some_time()));
    }
    void misses() {
        const Ticks length = 2 + some_time();
        MadeRecord made = made_call(Function::Test, now_, now_ + length);
        made.record.what.flags = flag::repeated;
        made.record.request = 5;
        made.record.what.bytes = static_cast<std::uint64_t>(below(random_, static_cast<std::int64_t>(length)));
        store(std::move(made));
    }
    void not_recorded() {
        // It begins somewhere in this region, maybe earlier than calls that were recorded.
        Ticks since = now_ > 100 ? now_ - static_cast<Ticks>(below(random_, 100)) : now_;
        if (!open_.empty()) since = std::max(since, open_.back().first);
        add(Kind::loss, since, now_ + 1 + some_time());
    }
    void scope() { add(Kind::region, now_ / 2, now_ + 1 + some_time(), 4); }
    void end_region() {
        const auto [enter, number] = open_.back();
        open_.pop_back();
        add(Kind::region, enter, now_ + 1, number);
    }
    void add(Kind kind, Ticks enter, Ticks leave, std::uint32_t type = 0) {
        MadeRecord made = made_call(Function{}, enter, leave);
        made.record.what.kind = kind;
        made.record.what.type = type;
        store(std::move(made));
    }
    void store(MadeRecord made) {
        now_ = std::max(now_ + 1, made.record.leave - made_start);
        made.record.leave = made_start + now_;
        lane_.records.push_back(std::move(made));
    }
    std::uint32_t symbol() { return 1 + static_cast<std::uint32_t>(below(random_, 3)); }

    Random& random_;
    std::int64_t longest_;
    MadeLane& lane_;
    Ticks now_ = 0;
    std::vector<std::pair<Ticks, std::uint32_t>> open_; // open regions: since when, and which
};

// A few bends, none of which makes time run back.
ShiftMap some_shift(Random& random, Ticks end, std::int64_t most) {
    ShiftMap map;
    GlobalTime shift = 0;
    for (Ticks tick = 0; tick < end; tick += 2000 + static_cast<Ticks>(below(random, 20'000))) {
        shift += below(random, 2 * most + 1) - most;
        map.knots.push_back({made_start + tick, shift});
    }
    return map;
}

} // namespace

std::vector<MadeRank> random_lanes(std::uint64_t seed, const RandomLanes& how) {
    Random random{seed};
    std::vector<MadeRank> ranks = made_ranks(how.ranks);
    for (MadeRank& rank : ranks) {
        // Ranks use different numbers for the same name.
        std::vector<std::string> names = {"a:one", "a:two", "b:three"};
        std::shuffle(names.begin(), names.end(), random);
        for (std::uint32_t i = 0; i < 3; ++i) rank.definitions.symbols.push_back({.number = i + 1, .name = names[i]});
        rank.definitions.symbols.push_back({.number = 4, .name = "a:scope", .scope = true});
        Ticks end = 0;
        for (std::uint32_t lane = 0; lane < how.lanes; ++lane) {
            MadeLane& made = rank.lanes.emplace_back(MadeLane{.number = lane, .records = {}});
            made.records_a_block = 1 + static_cast<std::size_t>(below(random, 40));
            LaneMaker{random, how.longest, made}.make(how.steps);
            end = std::max(end, made.records.back().record.leave - made_start);
        }
        if (how.overhead_ns > 0) rank.definitions.costs.push_back({.call = how.overhead_ns});
        if (how.wrong_ns == 0) continue;
        const double rate = 1 + 1e-3 * static_cast<double>(below(random, 100));
        const GlobalTime off = 8 * (below(random, 2 * how.wrong_ns + 1) - how.wrong_ns);
        rank.definitions.time_maps.push_back(straight(made_start, off, rate));
        rank.definitions.corrections.push_back(some_shift(random, end, 4000));
    }
    return ranks;
}

std::vector<Span> spans_by_looking(const MadeLane& lane, const std::vector<Symbol>& symbols, const TimeAt& at) {
    struct Inside {
        Ticks enter = 0;
        Ticks leave = 0;
        std::uint32_t function = 0;
    };
    std::set<std::uint32_t> scopes;
    for (const Symbol& symbol : symbols)
        if (symbol.scope) scopes.insert(symbol.number);
    std::vector<Inside> all;
    for (const MadeRecord& made : lane.records) {
        const Record& record = made.record;
        const Signature& what = record.what;
        Inside inside{record.enter, record.leave, 0};
        if (what.kind == Kind::call && !what.has(flag::nested) &&
            (!what.has(flag::repeated) || 2 * what.bytes + 1 >= record.leave - record.enter))
            inside.function = span_function::of(what.function);
        else if (what.kind == Kind::region && !scopes.contains(what.type))
            inside.function = span_function::of_symbol(what.type);
        else if (what.kind == Kind::stall)
            inside.function = span_function::tracer;
        else if (what.kind == Kind::loss)
            inside = {all.empty() ? record.enter : std::max(record.enter, all.back().leave), record.leave,
                      span_function::not_recorded};
        else
            continue;
        all.push_back(inside);
    }
    std::set<Ticks> edges;
    for (const Inside& inside : all) edges.insert({inside.enter, inside.leave});
    std::vector<Span> spans;
    const Inside* last = nullptr;
    for (auto from = edges.begin(); from != edges.end() && std::next(from) != edges.end(); ++from) {
        const Ticks to = *std::next(from);
        const Inside* innermost = nullptr;
        for (const Inside& inside : all)
            if (inside.enter <= *from && inside.leave >= to &&
                (innermost == nullptr || inside.enter > innermost->enter ||
                 (inside.enter == innermost->enter && inside.leave < innermost->leave)))
                innermost = &inside;
        const Span span{at(*from), at(to), innermost != nullptr ? innermost->function : 0};
        const bool goes_on = from != edges.begin() && innermost == last && spans.back().end == span.begin;
        if (goes_on && innermost != nullptr)
            spans.back().end = span.end;
        else
            spans.push_back(span);
        last = innermost;
    }
    return spans;
}

} // namespace tactus
