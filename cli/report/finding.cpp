#include "cli/report/finding.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/samples_text.hpp"
#include "cli/report/time_parts.hpp"
#include "cli/report/waits_text.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace tactus {
namespace {

constexpr double much_without_core = 0.2; // of the time in which threads could run
constexpr double worth_finding = 0.05;    // of all time
// MPI_Init takes most of a short run, which tells nothing about a longer one.
constexpr double much_of_ends = 0.5; // of all time

const char* words_of(TimePart part) {
    switch (part) {
    case TimePart::io:
        return "in functions for files, without waiting for other ranks";
    case TimePart::ends:
        return "in starting and ending MPI";
    case TimePart::tracer:
        return "taken by tactus itself";
    case TimePart::asleep:
        return "asleep outside MPI";
    case TimePart::application:
    case TimePart::no_core:
    case TimePart::waiting:
    case TimePart::mpi:
        break;
    }
    return "in MPI without waiting";
}

// The call place that has most of a part, its time there, and that of all places.
struct CostliestPlace {
    const PlaceProfile* place = nullptr;
    double seconds = 0;
    double all_s = 0;
};

CostliestPlace costliest_place(const Report& report, TimePart part) {
    CostliestPlace most;
    for (const FunctionProfile& function : report.profile.functions)
        if (part_of(function.function) == part)
            most.all_s += function.stats.time_s - waited_in(*report.waits, function.function);
    for (const PlaceProfile& place : report.profile.places) {
        if (place.stats.time_s <= most.seconds) break; // places with most time come first
        if (part_of(place.function) != part) continue;
        double seconds = place.stats.time_s;
        for (const WaitPlace& wait : report.waits->places)
            if (wait.function == place.function && wait.place == place.place) seconds -= wait.seconds;
        if (seconds > most.seconds) most = {&place, seconds, most.all_s};
    }
    return most;
}

// The bytes of one call, where a call moves a message, a part of a file, or a block in a collective.
std::uint64_t bytes_of_call(const PlaceProfile& place) {
    const Shape shape = shape_of(place.function);
    const bool moves_one = is_send(shape) || shape == Shape::receive || is_collective(place.function) ||
                           part_of(place.function) == TimePart::io;
    const std::uint64_t bytes = std::max(place.stats.sent_bytes, place.stats.received_bytes);
    return moves_one && place.stats.calls > 0 ? bytes / place.stats.calls : 0;
}

// ", 71.0 % of it in MPI_Send at p.c:7: 1 000 000 calls of 8 B, 1.200 us each".
std::string place_text(Report& report, TimePart part) {
    const auto [place, seconds, all_s] = costliest_place(report, part);
    if (place == nullptr) return {};
    const auto calls = static_cast<double>(place->stats.calls);
    const std::uint64_t bytes = bytes_of_call(*place);
    return fmt::format(", {} in {}: {}{}, {} each", part_text(share_of(seconds, all_s)),
                       call_in_function(place->function, place->place, report.callers, Callers::Time::inside),
                       plural(place->stats.calls, "call", "calls"), bytes > 0 ? " of " + bytes_text(bytes) : "",
                       duration_text(calls > 0 ? seconds / calls : 0));
}

// Whether threads were asleep while no other thread of the program was at work, as one that is joined would be.
bool sleeps_alone(const Report& report, double asleep_s) {
    double in_calls_s = 0; // on a core, of threads that make calls
    for (const RankProfile& rank : report.profile.ranks) in_calls_s += rank.use.outside.ran_s + rank.use.inside.ran_s;
    double sampled_s = 0; // on a core, of threads other than the first, also of those that have ended
    for (std::size_t i = 0; i < report.profile.ranks.size(); ++i) {
        const RankSamples& samples = report.profile.ranks[i].samples;
        for (const SampledThread& thread : samples.threads)
            if (static_cast<std::uint64_t>(thread.number) != report.trace.ranks[i].header().pid)
                sampled_s += on_core_s(samples, thread);
    }
    return report.cores.unknown == 0 && std::max(report.cores.ran_s() - in_calls_s, sampled_s) < asleep_s / 2;
}

// ", 71.0 % of it on rank 3".
std::string sleeper_text(const Report& report) {
    double all_s = 0;
    for (const RankProfile& rank : report.profile.ranks) all_s += rank.use.outside.asleep_s;
    const RankProfile& most =
        *std::ranges::max_element(report.profile.ranks, {}, [](const auto& rank) { return rank.use.outside.asleep_s; });
    return fmt::format(", {} on rank {}", part_text(share_of(most.use.outside.asleep_s, all_s)), most.rank);
}

// Whether the ranks that are waited for mostly had no core.
bool late_without_core(const RunWaits& waits) {
    if (waits.roots.empty()) return false;
    const CoreTime& did = waits.roots.front().did;
    return did.waited_s > 0 && did.waited_s >= did.total_s() / 2;
}

// The rank that came to MPI_Init so late that it explains most of the time at the start and the end. All ranks end
// together, so the rank with the shortest time began last.
std::string late_start_text(const Report& report, double ends_s) {
    const auto& ranks = report.profile.ranks;
    // A rank whose records end early has a short time for another reason.
    const auto whole = [](const RankFile& file) {
        const auto& totals = file.definitions().totals;
        return !totals.empty() && totals.front().ending == Ending::finalize;
    };
    const auto none = [](const LossCount& loss) { return loss.count == 0; };
    if (ranks.size() < 2 || !std::ranges::all_of(report.trace.ranks, whole) ||
        !std::ranges::all_of(report.losses, none))
        return {};
    const auto [last, first] = std::ranges::minmax_element(ranks, {}, &RankProfile::wall_s);
    double waited_s = 0;
    for (const RankProfile& rank : ranks) waited_s += rank.wall_s - last->wall_s;
    if (waited_s < ends_s / 2) return {};
    return fmt::format(": rank {} started {} after rank {}", last->rank, duration_text(first->wall_s - last->wall_s),
                       first->rank);
}

std::string where_text(Report& report, TimePart part, const std::string& late) {
    if (part == TimePart::ends && !late.empty()) return late;
    return part == TimePart::asleep ? sleeper_text(report) : place_text(report, part);
}

} // namespace

std::string finding_text(Report& report) {
    const TimeParts parts = time_parts(report);
    const std::string late = late_start_text(report, parts.of(TimePart::ends));
    std::vector<TimePart> candidates = {TimePart::mpi, TimePart::io, TimePart::tracer};
    if (!late.empty() || parts.share(TimePart::ends) >= much_of_ends) candidates.push_back(TimePart::ends);
    // The rank that sleeps while others wait for it is named with the wait.
    if (parts.share(TimePart::waiting) < worth_finding && sleeps_alone(report, parts.of(TimePart::asleep)))
        candidates.push_back(TimePart::asleep);
    // The start of the tracer takes much of a short run, too.
    const double recording_s = parts.of(TimePart::tracer) - parts.tracers_start_s;
    const auto size = [&](TimePart p) { return p == TimePart::tracer ? recording_s : parts.of(p); };
    const TimePart part = *std::ranges::max_element(candidates, {}, size);
    if (share_of(size(part), parts.total_s) >= worth_finding && size(part) > parts.of(TimePart::waiting))
        return fmt::format("{} of time ({}) {}{}", percent_text(parts.share(part)), duration_text(parts.of(part)),
                           words_of(part), where_text(report, part, late));
    const std::string loss = largest_loss_text(*report.waits, report.profile, report.callers);
    const bool without_core = report.cores.waited_share() >= much_without_core && has_reason(report.cores);
    if (parts.share(TimePart::waiting) < worth_finding)
        if (std::string locks = lock_text(report); !locks.empty()) return locks;
    if (without_core && !has_loss(*report.waits)) return cores_text(report.cores);
    if (without_core && late_without_core(*report.waits))
        return fmt::format("{}; because of that, {}", cores_text(report.cores), loss);
    return loss;
}

} // namespace tactus
