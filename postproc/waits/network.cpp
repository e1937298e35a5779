#include "postproc/waits/network.hpp"

#include "postproc/replay/engine.hpp"
#include "postproc/replay/reversed.hpp"
#include "postproc/waits/call_facts.hpp"

#include <algorithm>
#include <limits>

namespace tactus {
namespace {

class IdealNetwork {
  public:
    static constexpr bool independent = false;
    using Note = GlobalTime;
    static Note stronger(Note a, Note b) { return std::max(a, b); }

    IdealNetwork(const std::vector<RankEvents>& ranks, const std::vector<RankCalls>& calls)
        : ranks_{ranks}, calls_{calls}, runs_(ranks.size()) {
        for (std::size_t i = 0; i < runs_.size(); ++i) runs_[i].time = calls[i].begin;
    }

    Note give(std::size_t rank, Event& event) { return go_on(rank, event); }
    void pass(std::size_t rank, Event& event) { go_on(rank, event); }
    void take(std::size_t rank, Event& event, Note given) {
        go_on(rank, event);
        runs_[rank].time = std::max(runs_[rank].time, given);
    }

    [[nodiscard]] GlobalTime end(std::size_t rank) const {
        return runs_[rank].time + std::max<GlobalTime>(calls_[rank].computed - runs_[rank].computed, 0);
    }

  private:
    struct Run {
        GlobalTime time = 0;
        GlobalTime computed = 0;
    };

    GlobalTime go_on(std::size_t rank, const Event& event) {
        Run& run = runs_[rank];
        const CallFacts& facts = calls_[rank].facts[static_cast<std::size_t>(&event - ranks_[rank].events.data())];
        run.time += std::max<GlobalTime>(facts.computed - run.computed, 0);
        run.computed = std::max(run.computed, facts.computed);
        return run.time;
    }

    const std::vector<RankEvents>& ranks_;
    const std::vector<RankCalls>& calls_;
    std::vector<Run> runs_;
};

} // namespace

std::optional<GlobalTime> ideal_time(const Trace& trace) {
    constexpr std::size_t in_memory = std::size_t{64} << 20;
    const PagingTo paging{trace.path.c_str(), in_memory / trace.ranks.size()};
    std::vector<RankEvents> ranks;
    for (const RankFile& file : trace.ranks) {
        ranks.push_back(events_of(file, {.paging = paging}));
        if (ranks.back().too_many) return {};
    }
    LonelyWire wire;
    const Agreed agreed = agree(ranks, wire);
    std::vector<RankCalls> calls(ranks.size());
    GlobalTime begin = std::numeric_limits<GlobalTime>::max();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (!keep_posts(ranks[i], paging, calls[i])) return {};
        stamp(ranks[i], trace.ranks[i].clock());
        find_calls(ranks[i], trace.ranks[i], trace.ranks[i].clock(), calls[i]);
        begin = std::min(begin, calls[i].begin);
    }
    IdealNetwork network{ranks, calls};
    Engine<IdealNetwork>{ranks, agreed, wire, network}.run();
    GlobalTime end = begin;
    for (std::size_t i = 0; i < ranks.size(); ++i) end = std::max(end, network.end(i));
    return end - begin;
}

} // namespace tactus
