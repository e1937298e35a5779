#include "cli/where_lanes.hpp"

#include "trace/sample.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

bool can_be_read(const Header& header) {
    return header.timer != Timer::mpi_wtime && header.test_clock.function.empty();
}

// Converts a tick into the time since then, in seconds. This works only on the rank's own host, by its clock.
class Ago {
  public:
    Ago(const RankFile& file, bool here) : here_{here} {
        if (!here) return;
        choose_timer(file.header().timer);
        now_ = read_anchor();
        const Anchor& start = file.header().start;
        if (now_.tick > start.tick)
            seconds_per_tick_ = 1e-9 * static_cast<double>(now_.monotonic_ns - start.monotonic_ns) /
                                static_cast<double>(now_.tick - start.tick);
    }
    [[nodiscard]] std::optional<double> operator()(Ticks tick) const {
        if (!here_ || tick == 0) return {};
        return now_.tick > tick ? static_cast<double>(now_.tick - tick) * seconds_per_tick_ : 0;
    }

  private:
    bool here_;
    Anchor now_;
    double seconds_per_tick_ = 0;
};

std::string why_no_lane(const RankFile& file, bool here) {
    const Header& header = file.header();
    if (header.lane_directory.empty()) return "its lanes are in private memory, which only the rank itself can read";
    if (!here)
        return fmt::format("its lanes are on host {} in {}: run `tactus where` there", header.host,
                           header.lane_directory);
    return fmt::format("no lane of it is left in {}", header.lane_directory);
}

RankState read_rank(const RankFile& file, LaneSearch& search) {
    const Header& header = file.header();
    RankState state{.file = &file, .process = liveness_of(header), .lanes = {}, .problem = {}};
    if (file.closed()) return state;
    const bool here = runs_here(header);
    const Ago ago{file, here && can_be_read(header)};
    for (FoundLane& found : search.of(header).lanes) {
        if (found.contents.lane == sampled::lane) continue;
        if (found.contents.closed) continue;
        LaneState lane_state{
            .lane = std::move(found.contents), .defined = {}, .since_enter_s = {}, .since_leave_s = {}};
        lane_state.defined = definitions_in(lane_state.lane);
        if (!lane_state.lane.open.empty()) lane_state.since_enter_s = ago(lane_state.lane.open.front().enter);
        lane_state.since_leave_s = ago(lane_state.lane.last_leave);
        state.lanes.push_back(std::move(lane_state));
    }
    if (!state.lanes.empty()) return state;
    state.problem = why_no_lane(file, here);
    return state;
}

} // namespace

const Comm* RankState::comm(std::uint32_t number) const {
    if (const Comm* written = file->comm(number)) return written;
    for (const LaneState& lane : lanes)
        for (const Comm& comm : lane.defined.comms)
            if (comm.number == number) return &comm;
    return nullptr;
}

const Symbol* RankState::symbol(std::uint32_t number) const {
    const auto named = [&](const std::vector<Symbol>& symbols) -> const Symbol* {
        const auto found =
            std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& symbol) { return symbol.number == number; });
        return found != symbols.end() ? &*found : nullptr;
    };
    if (const Symbol* const written = named(file->definitions().symbols)) return written;
    for (const LaneState& lane : lanes)
        if (const Symbol* const known = named(lane.defined.symbols)) return known;
    return nullptr;
}

std::vector<RankState> read_lanes(const Trace& trace) {
    LaneSearch search{trace};
    std::vector<RankState> states;
    for (const RankFile& file : trace.ranks) states.push_back(read_rank(file, search));
    return states;
}

} // namespace tactus
