#include "postproc/waits/network.hpp"

#include "postproc/replay/engine.hpp"
#include "trace/shift_map.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace tactus {
namespace {

class OnNetwork {
  public:
    static constexpr bool independent = false;
    using Note = GlobalTime;
    static Note stronger(Note a, Note b) { return std::max(a, b); }

    OnNetwork(const Network& network, const RunEvents& run)
        : run_{run}, latency_{1e9 * time_units_per_ns * network.latency_s}, per_byte_{1e9 * time_units_per_ns *
                                                                                      network.seconds_per_byte},
          states_(run.ranks.size()) {
        for (std::size_t i = 0; i < states_.size(); ++i) states_[i].time = run.calls[i].begin;
    }

    Note give(std::size_t rank, Event& event) { return sum_of(go_on(rank, event), time_under_way(rank, event)); }
    void pass(std::size_t rank, Event& event) { go_on(rank, event); }
    void take(std::size_t rank, Event& event, Note come) {
        go_on(rank, event);
        states_[rank].time = std::max(states_[rank].time, come);
    }

    [[nodiscard]] GlobalTime end(std::size_t rank) const {
        return sum_of(states_[rank].time, std::max<GlobalTime>(run_.calls[rank].computed - states_[rank].computed, 0));
    }

  private:
    struct State {
        GlobalTime time = 0;
        GlobalTime computed = 0;
    };

    [[nodiscard]] std::size_t number_of(std::size_t rank, const Event& event) const {
        return static_cast<std::size_t>(&event - run_.ranks[rank].events.data());
    }

    GlobalTime go_on(std::size_t rank, const Event& event) {
        State& state = states_[rank];
        const std::size_t number = number_of(rank, event);
        const CallFacts& facts = run_.calls[rank].facts[number];
        run_.calls[rank].pass(number);
        state.time = sum_of(state.time, std::max<GlobalTime>(facts.computed - state.computed, 0));
        state.computed = std::max(state.computed, facts.computed);
        return state.time;
    }

    [[nodiscard]] GlobalTime time_under_way(std::size_t rank, const Event& event) const {
        constexpr double longest = 1e18; // four years
        double hops = 1;
        if (is_enter(event.role())) hops = std::bit_width(run_.ranks[rank].groups[event.index()].size - 1U);
        const std::size_t number = number_of(rank, event);
        const auto bytes = static_cast<double>(run_.calls[rank].bytes[number]);
        return static_cast<GlobalTime>(std::min(hops * latency_ + bytes * per_byte_, longest));
    }

    const RunEvents& run_;
    double latency_;
    double per_byte_;
    std::vector<State> states_;
};

} // namespace

GlobalTime time_on(const Network& network, RunEvents& run) {
    OnNetwork visitor{network, run};
    LonelyWire wire;
    Engine<OnNetwork>{run.ranks, run.matched, wire, visitor}.run();
    GlobalTime begin = std::numeric_limits<GlobalTime>::max();
    GlobalTime end = std::numeric_limits<GlobalTime>::min();
    for (std::size_t i = 0; i < run.ranks.size(); ++i) {
        begin = std::min(begin, run.calls[i].begin);
        end = std::max(end, visitor.end(i));
    }
    return sum_of(end, -begin);
}

} // namespace tactus
