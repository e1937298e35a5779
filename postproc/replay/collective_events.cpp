#include "postproc/replay/collective_events.hpp"

#include "trace/shapes.hpp"

namespace tactus {

void CollectiveEvents::at_start(const Record& record, const Started& started) {
    Signature what = record.what;
    what.function = started.function;
    what.comm = started.comm;
    what.peer = started.peer;
    what.bytes = started.bytes;
    const Start start{what, started.prepared, started.request, record.enter};
    if (several_lanes_ && !prepared_.contains(started.prepared))
        unprepared_.push_back(start);
    else
        begin(start);
}

void CollectiveEvents::begin(const Start& start) {
    const auto known = prepared_.find(start.prepared);
    // If the call that prepared it was not recorded, the record of the start holds enough for most functions.
    const auto part = known != prepared_.end() ? known->second : groups_.part_of(start.what, {});
    if (part) go_on(start.request, enter(*part, start.enter));
}

void CollectiveEvents::finish() {
    for (const Start& start : unprepared_) begin(start);
    for (const auto& [request, begun] : begun_) exit(begun, begun.enter, false);
}

bool CollectiveEvents::ends(std::uint64_t request, Ticks leave) {
    const auto begun = begun_.find(request);
    if (begun == begun_.end()) return false;
    exit(begun->second, leave, true);
    begun_.erase(begun);
    return true;
}

void CollectiveEvents::take(const Record& record, const Participation& part) {
    const Signature& what = record.what;
    if (mode_of(what.function) == Mode::persistent) {
        prepared_.insert_or_assign(record.request, part);
        return;
    }
    const Begun begun = enter(part, record.enter);
    if (what.has(flag::unfinished))
        exit(begun, record.enter, false);
    else if (what.has(flag::starts))
        go_on(record.request, begun);
    else
        exit(begun, record.leave, true);
}

void CollectiveEvents::go_on(std::uint64_t request, const Begun& begun) {
    const auto ended = ended_.find(request);
    if (ended == ended_.end()) {
        begun_.insert_or_assign(request, begun);
        return;
    }
    exit(begun, ended->second, true);
    ended_.erase(ended);
}

CollectiveEvents::Begun CollectiveEvents::enter(const Participation& part, Ticks enter) {
    CollectiveGroup& group = out_.groups[part.group];
    ++group.count;
    // The lowest rank of a scan takes from nobody, so it does not wait.
    if (!part.takes || (group.takes_from == TakesFrom::lower && group.member == 0)) ++group.ahead;
    sink_.add({.tick = enter,
               .stamp = static_cast<GlobalTime>(calls_),
               .number = Partners{part.takes, part.sources, part.root}.as_number()},
              part.gives ? Role::enter_give : Role::enter, part.group);
    return {part, enter, calls_++};
}

void CollectiveEvents::exit(const Begun& begun, Ticks tick, bool took) {
    sink_.add({.tick = tick,
               .stamp = static_cast<GlobalTime>(begun.call),
               .number = Partners{begun.part.gives, begun.part.destinations}.as_number()},
              begun.part.takes && took ? Role::exit_take : Role::exit, begun.part.group);
}

} // namespace tactus
