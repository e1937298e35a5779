// The clocks as JSON. The names of keys stay from version to version; new keys may be added.
#include "cli/clocks/clocks.hpp"
#include "cli/trace_facts.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tactus {
namespace {

using Object = nlohmann::ordered_json;

// JSON has no infinity. An infinite value, which a damaged file may cause, and an unknown value become null.
Object number(double value, bool known = true) { return known && std::isfinite(value) ? Object(value) : Object(); }

const char* name_of(Fit fit) { return fit_names[static_cast<std::size_t>(fit)]; }

void put_numbers(Object& object, const ClockNumbers& numbers) {
    object["offset_ns"] = number(numbers.offset_ns);
    object["drift_ppm"] = number(numbers.drift_ppm);
    object["half_width_ns"] = number(numbers.half_width_ns, numbers.known);
    object["half_width_start_ns"] = number(numbers.half_width_start_ns, numbers.known);
    object["half_width_end_ns"] = number(numbers.half_width_end_ns, numbers.known);
    object["half_width_worst_ns"] = number(numbers.half_width_worst_ns, numbers.known);
}

const char* reason_text(RoundReason reason) {
    const auto which = static_cast<std::size_t>(reason);
    return which < round_reason_names.size() ? round_reason_names[which] : "unknown";
}

Object rounds_of(const RankClock& clock) {
    Object list = Object::array();
    for (const ClockRound& round : clock.rounds) {
        const SyncRound& measured = round.fitted.round;
        const Point& point = round.fitted.point;
        list.push_back({{"number", measured.number},
                        {"reason", reason_text(measured.reason)},
                        {"master", measured.master},
                        {"by_barrier", measured.by_barrier},
                        {"time_s", number(round.time_s, round.usable)},
                        {"samples", round.fitted.samples},
                        {"rejected", measured.rejected},
                        {"offset_ns", number(round.offset_ns, round.usable)},
                        {"half_width_ns", number(point.half_width, round.usable)},
                        {"bound_ns", number(point.bound, round.usable)}});
    }
    return list;
}

Object notes_of(const RankClock& clock) {
    Object list = Object::array();
    for (const TimedNote& note : clock.notes) {
        const ClockTroubleText& text = clock_troubles[static_cast<std::size_t>(note.note.trouble)];
        list.push_back({{"name", text.name},
                        {"meaning", text.meaning},
                        {"time_s", number(note.time_s)},
                        {"amount_ns", number(note.note.amount_ns)},
                        {"count", note.note.count}});
    }
    return list;
}

Object ranks_of(const ClocksFacts& facts) {
    Object list = Object::array();
    for (const RankClock& clock : facts.ranks) {
        Object& row = list.emplace_back(Object{{"rank", clock.rank},
                                               {"host", clock.host},
                                               {"timer", tactus::name_of(clock.timer)},
                                               {"relation", clock.relation()},
                                               {"master", clock.place.master},
                                               {"level", clock.place.level}});
        put_numbers(row, clock.numbers);
        if (clock.refined.known) put_numbers(row["refined"], clock.refined);
        row["fits"] = Object::object();
        for (std::size_t fit = 0; facts.measured && fit < compared_fits.size(); ++fit)
            put_numbers(row["fits"][name_of(compared_fits[fit])], clock.fits[fit]);
        row["fits_apart_ns"] = number(clock.fit_difference_ns, facts.measured);
        row["rounds"] = rounds_of(clock);
        row["rejected"] = clock.rejected;
        row["notes"] = notes_of(clock);
    }
    return list;
}

Object levels_of(const ClocksFacts& facts) {
    Object list = Object::array();
    for (const ClockLevel& level : facts.levels)
        list.push_back({{"level", level.level},
                        {"clocks", level.clocks},
                        {"half_width_median_ns", number(level.median_ns)},
                        {"half_width_worst_ns", number(level.worst_ns)}});
    return list;
}

Object reversed_of(const ClocksFacts& facts) {
    const ReversedPairs& reversed = facts.reversed;
    Object object = {{"raw", reversed.raw}, {"fitted", reversed.fitted}};
    for (std::size_t fit = 0; facts.measured && fit < compared_fits.size(); ++fit)
        object[name_of(compared_fits[fit])] = reversed.fits[fit];
    object["pairs"] = reversed.messages.matched;
    object["unpaired"] = reversed.messages.unmatched_in_all();
    Object& unpaired = object["unpaired_by_reason"] = Object::object();
    for (std::size_t i = 0; i < unmatched_count; ++i) unpaired[unmatched_names[i]] = reversed.messages.unmatched[i];
    return object;
}

} // namespace

nlohmann::ordered_json clocks_json(const Trace& trace, const ClocksFacts& facts) {
    const Header& header = trace.ranks.front().header();
    Object all = {{"trace", trace.path},        {"program", header.program}, {"ranks_in_run", header.ranks},
                  {"measured", facts.measured}, {"fit", name_of(facts.fit)}, {"stored", facts.stored}};
    all["ranks"] = ranks_of(facts);
    all["levels"] = levels_of(facts);
    all["reversed"] = reversed_of(facts);
    all["problems"] = problem_lines(trace.problems);
    return all;
}

} // namespace tactus
