#include "postproc/waits/waits.hpp"

#include "postproc/replay/both.hpp"
#include "postproc/replay/engine.hpp"
#include "postproc/waits/run_links.hpp"
#include "postproc/waits/wait_rows.hpp"
#include "postproc/waits/waiting.hpp"

namespace tactus {
namespace {

// A keeper that adds up the waits of each rank, and passes messages and waits to `take_link`.
class SummedUp {
  public:
    static constexpr bool independent = true;
    struct Extra {
        std::uint64_t bytes = 0;
        std::uint32_t lane = 0; // of the thread that gave; in a wait, of the thread that waited
    };

    SummedUp(const std::vector<RankEvents>& ranks, const std::vector<RankCalls>& calls, const TakeLink& take_link)
        : ranks_{ranks}, calls_{calls}, take_link_{take_link}, rows_(ranks.size()) {}

    Extra give(std::size_t rank, const Event& event, const CallFacts&) const {
        const std::size_t number = number_of(rank, event);
        return {calls_[rank].bytes[number], calls_[rank].lane_of(number)};
    }
    Extra take(std::size_t rank, const Event& event, const CallFacts&, const GivenBy<Extra>& given) {
        const std::uint32_t lane = calls_[rank].lane_of(number_of(rank, event));
        if (is_message(event.role())) see_message(rank, event, lane, given);
        return {.lane = lane};
    }
    static Extra receive(std::size_t, const CallFacts&, const GivenBy<Extra>& given) {
        return {.lane = given.extra.lane};
    }
    void keep(std::size_t rank, const WaitRow& row, GlobalTime enter, GlobalTime given, const Extra& about) {
        rows_[rank].add(row, given - enter);
        take_link_(rank, LinkKind::wait,
                   {.from = enter,
                    .to = given,
                    .source = thread_of(row.victim, about.lane),
                    .target = static_cast<std::uint64_t>(row.kind),
                    .amount = static_cast<std::uint64_t>(given - enter),
                    .about = row.causer,
                    .what = static_cast<std::uint32_t>(row.victim_function)});
    }
    WaitRows& of(std::size_t rank) { return rows_[rank]; }

  private:
    [[nodiscard]] std::size_t number_of(std::size_t rank, const Event& event) const {
        return static_cast<std::size_t>(&event - ranks_[rank].events.data());
    }
    void see_message(std::size_t rank, const Event& event, std::uint32_t lane, const GivenBy<Extra>& given) {
        const Channel& channel = ranks_[rank].channels[event.index()];
        if (!channel.of_messages()) return;
        take_link_(rank, LinkKind::message,
                   {.from = given.at,
                    .to = event.stamp,
                    .source = thread_of(given.rank, given.extra.lane),
                    .target = thread_of(ranks_[rank].rank, lane),
                    .amount = given.extra.bytes,
                    .about = channel.comm,
                    .what = static_cast<std::uint32_t>(channel.tag)});
    }

    const std::vector<RankEvents>& ranks_;
    const std::vector<RankCalls>& calls_;
    const TakeLink& take_link_;
    std::vector<WaitRows> rows_;
};

} // namespace

std::vector<RankWaits> find_waits(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                                  const std::vector<RankCalls>& calls, const TakeLink& take,
                                  CountingReversed<2>* counting) {
    SummedUp sums{ranks, calls, take};
    Waiting<SummedUp> waiting{ranks, calls, sums};
    if (counting != nullptr) {
        Both both{*counting, waiting};
        Engine<decltype(both)>{ranks, matched, wire, both}.run();
        if (!wire.out_of_time()) counting->end();
    } else {
        Engine<Waiting<SummedUp>>{ranks, matched, wire, waiting}.run();
    }
    waiting.end(wire);
    constexpr std::size_t most = 2000; // rows kept of a rank
    std::vector<RankWaits> all(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        sums.of(i).take(most, all[i].rows, all[i].others);
        all[i].begin = calls[i].begin;
        all[i].end = calls[i].end;
        all[i].computed = calls[i].computed;
        all[i].threads = calls[i].threads;
    }
    find_collectives(ranks, matched, wire, calls, take);
    return all;
}

} // namespace tactus
