#include "postproc/waits/waits.hpp"

#include "postproc/replay/engine.hpp"
#include "postproc/waits/wait_rows.hpp"
#include "postproc/waits/waiting.hpp"

namespace tactus {
namespace {

// Adds waits up by rank.
class SummedUp {
  public:
    static constexpr bool independent = true;
    struct Extra {};

    explicit SummedUp(std::size_t ranks) : rows_(ranks) {}

    static Extra give(std::size_t, const Event&, const CallFacts&) { return {}; }
    static Extra take(std::size_t, const Event&, const CallFacts&, const GivenBy<Extra>&) { return {}; }
    static Extra receive(std::size_t, const CallFacts&, const GivenBy<Extra>&) { return {}; }
    void keep(std::size_t rank, const WaitRow& row, GlobalTime enter, GlobalTime given, const Extra&) {
        rows_[rank].add(row, given - enter);
    }
    WaitRows& of(std::size_t rank) { return rows_[rank]; }

  private:
    std::vector<WaitRows> rows_;
};

} // namespace

std::vector<RankWaits> find_waits(std::vector<RankEvents>& ranks, const Agreed& agreed, ReplayWire& wire,
                                  const std::vector<RankCalls>& calls) {
    SummedUp sums{ranks.size()};
    Waiting<SummedUp> waiting{ranks, calls, sums};
    Engine<Waiting<SummedUp>>{ranks, agreed, wire, waiting}.run();
    waiting.end(wire);
    constexpr std::size_t most = 2000; // rows of a rank
    std::vector<RankWaits> all(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        sums.of(i).take(most, all[i].rows, all[i].others);
        all[i].begin = calls[i].begin;
        all[i].end = calls[i].end;
        all[i].computed = calls[i].computed;
        all[i].threads = calls[i].threads;
    }
    return all;
}

} // namespace tactus
