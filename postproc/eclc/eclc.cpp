#include "postproc/eclc/eclc.hpp"

#include "postproc/eclc/backward.hpp"
#include "postproc/replay/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tactus {
namespace {

// The minimum latency between the event that gave and this one, which took.
GlobalTime least_to(const RankEvents& rank, const Event& event, const EclcOptions& options) {
    return options.mu + (is_message(event.role()) ? rank.channels[event.index()].least : 0);
}

class Forward {
  public:
    static constexpr bool independent = false;
    using Note = GlobalTime; // corrected time of the event that gives
    static Note stronger(Note a, Note b) { return std::max(a, b); }

    Forward(std::vector<RankEvents>& ranks, const EclcOptions& options)
        : ranks_{ranks}, options_{options}, clocks_(ranks.size()) {}

    Note give(std::size_t rank, Event& event) {
        pass(rank, event);
        return event.stamp;
    }
    void pass(std::size_t rank, Event& event) { clocks_[rank].advance(event, options_); }
    void take(std::size_t rank, Event& event, Note given) {
        Clock& clock = clocks_[rank];
        const GlobalTime before = event.stamp;
        clock.advance(event, options_);
        const GlobalTime earliest = given + least_to(ranks_[rank], event, options_);
        if (earliest <= event.stamp) return;
        const auto number = static_cast<std::size_t>(&event - ranks_[rank].events.data());
        clock.jumps.push_back({number, earliest - event.stamp});
        event.stamp = clock.last = earliest;
        clock.moved_at = before;
        clock.moved = earliest - before;
    }

    [[nodiscard]] const std::vector<Jump>& jumps(std::size_t rank) const { return clocks_[rank].jumps; }

  private:
    struct Clock {
        Ticks tick = 0; // of the last event
        GlobalTime last = std::numeric_limits<GlobalTime>::min() / 2;
        GlobalTime moved_at = 0; // uncorrected time of the last event that was moved
        GlobalTime moved = 0;    // how far it was moved; 0: that has decayed
        std::vector<Jump> jumps;

        void advance(Event& event, const EclcOptions& options) {
            const GlobalTime time = event.stamp;
            if (moved > 0) {
                const double recovered = std::floor(options.decay * static_cast<double>(time - moved_at));
                const GlobalTime left =
                    recovered < static_cast<double>(moved) ? moved - static_cast<GlobalTime>(recovered) : 0;
                if (left == 0) moved = 0;
                event.stamp = time + left;
            }
            if (options.delta > 0 && event.tick != tick && event.stamp < last + options.delta) {
                event.stamp = last + options.delta;
                moved_at = time;
                moved = event.stamp - time;
            }
            tick = event.tick;
            last = event.stamp;
        }
    };

    std::vector<RankEvents>& ranks_;
    const EclcOptions& options_;
    std::vector<Clock> clocks_;
};

// Finds the limits: tells each event that gave something, and lies in a window, the earliest time at which that was
// taken.
class Limits {
  public:
    static constexpr bool independent = true;
    using Note = GlobalTime;
    static Note stronger(Note a, Note b) { return std::min(a, b); }

    Limits(std::vector<RankEvents>& ranks, const Forward& forward, const EclcOptions& options)
        : ranks_{ranks}, options_{options}, found_(ranks.size()) {
        for (std::size_t i = 0; i < ranks.size(); ++i) windows_.push_back({&forward.jumps(i)});
        for (Window& window : windows_) window.left = window.jumps->size();
    }

    Note give(std::size_t rank, Event& event) { return event.stamp - least_to(ranks_[rank], event, options_); }
    void pass(std::size_t rank, Event& event) { meet(rank, event); }
    void take(std::size_t rank, Event& event, Note taken) {
        meet(rank, event);
        if (event.stamp > windows_[rank].begin) found_[rank].push_back({number_of(rank, event), taken});
    }

    // The limits of a rank, ordered by event. To be called once for each rank.
    std::vector<Limit>& of(std::size_t rank) {
        std::reverse(found_[rank].begin(), found_[rank].end());
        return found_[rank];
    }

  private:
    // Time runs backward, so the right end of a window, which is the event of its jump, comes first.
    void meet(std::size_t rank, const Event& event) {
        Window& window = windows_[rank];
        const std::size_t number = number_of(rank, event);
        if (window.left == 0 || (*window.jumps)[window.left - 1].event != number) return;
        const Jump& jump = (*window.jumps)[--window.left];
        window.begin = std::min(window.begin, window_begin(event.stamp, jump.size, options_.slope));
    }

    struct Window {
        const std::vector<Jump>* jumps = nullptr;
        std::size_t left = 0;                                      // jumps not yet met
        GlobalTime begin = std::numeric_limits<GlobalTime>::max(); // the earliest beginning of the windows met
    };
    [[nodiscard]] std::size_t number_of(std::size_t rank, const Event& event) const {
        return static_cast<std::size_t>(&event - ranks_[rank].events.data());
    }

    std::vector<RankEvents>& ranks_;
    const EclcOptions& options_;
    std::vector<Window> windows_;
    std::vector<std::vector<Limit>> found_;
};

GlobalTime largest(const Forward& forward, std::size_t ranks) {
    GlobalTime most = 0;
    for (std::size_t i = 0; i < ranks; ++i)
        for (const Jump& jump : forward.jumps(i)) most = std::max(most, jump.size);
    return most;
}

// Plays one forward half. Returns the largest jump in all processes.
GlobalTime play_forward(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                        Forward& forward, EclcFigures& figures) {
    figures.released = Engine<Forward>{ranks, matched, wire, forward}.run();
    ++figures.passes;
    std::vector<std::int64_t> most{largest(forward, ranks.size())};
    wire.find_most(most);
    return most[0];
}

} // namespace

EclcFigures run_eclc(std::vector<RankEvents>& ranks, const MatchedEvents& matched, ReplayWire& wire,
                     const EclcOptions& options) {
    EclcFigures figures;
    while (true) {
        Forward forward{ranks, options};
        const GlobalTime most = play_forward(ranks, matched, wire, forward, figures);
        figures.largest_jump = std::max(figures.largest_jump, most);
        if (most == 0) return figures;
        Limits limits{ranks, forward, options};
        Engine<Limits, Way::backward>{ranks, matched, wire, limits}.run();
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            figures.jumps += forward.jumps(i).size();
            const double steepest = stretch(ranks[i].events, forward.jumps(i), limits.of(i), options.slope);
            figures.steepest = std::max(figures.steepest, steepest);
        }
        constexpr std::uint64_t most_passes = 100;
        if (!options.iterate || most < options.epsilon || figures.passes >= most_passes) return figures;
    }
}

} // namespace tactus
