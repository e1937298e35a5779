#include "tests/unit/postproc/lod/known_links.hpp"

#include "trace/lane_walk.hpp"

#include <algorithm>
#include <map>

namespace tactus {

namespace {

GlobalTime time_at(const Trace& trace, std::uint32_t rank, Ticks tick) {
    return within_reach(trace.ranks[rank].clock().at(tick));
}

} // namespace

KnownLinks::KnownLinks(const Trace& trace, const RandomRun& run) {
    add_messages(trace, run);
    add_collectives(trace, run);
    add_waits(trace, run);
}

void KnownLinks::add_messages(const Trace& trace, const RandomRun& run) {
    for (const MadeMessage& message : run.messages)
        of(LinkKind::message)
            .push_back({.from = time_at(trace, message.sender, message.sent),
                        .to = time_at(trace, message.receiver, message.received),
                        .source = message.sender,
                        .target = message.receiver,
                        .amount = 5000,
                        .about = 1,
                        .what = static_cast<std::uint32_t>(message.tag)});
}

void KnownLinks::add_collectives(const Trace& trace, const RandomRun& run) {
    for (const MadeCollective& collective : run.collectives) {
        Link& link = of(LinkKind::collective).emplace_back();
        for (const MadeCollective::Member& member : collective.members) {
            const bool first = &member == &collective.members.front();
            const GlobalTime enter = time_at(trace, member.rank, member.enter);
            const GlobalTime leave = time_at(trace, member.rank, member.leave);
            link.from = first ? enter : std::min(link.from, enter);
            link.to = first ? leave : std::max(link.to, leave);
        }
        link.source = collective.comm;
        link.about = collective.root;
        link.what = static_cast<std::uint32_t>(collective.function);
    }
}

void KnownLinks::add_waits(const Trace& trace, const RandomRun& run) {
    std::map<std::pair<std::uint32_t, Ticks>, std::pair<Ticks, Function>> calls; // by rank and leave
    for (const RankFile& file : trace.ranks)
        for (const LaneBlocks& lane : lanes_of(file))
            for (LaneWalk walk{file, lane}; walk.next();)
                if (walk.record().what.kind == Kind::call)
                    calls[{file.header().rank, walk.record().leave}] = {walk.record().enter,
                                                                        walk.record().what.function};
    std::map<std::pair<std::uint32_t, Ticks>, std::pair<GlobalTime, std::uint32_t>> latest;
    for (const Need& need : run.needs) {
        if (need.known) continue;
        const GlobalTime given = trace.ranks[need.giver].clock().at(need.given);
        auto& last = latest.try_emplace({need.taker, need.taken}, given, need.giver).first->second;
        if (given > last.first || (given == last.first && need.giver < last.second)) last = {given, need.giver};
    }
    for (const auto& [call, last] : latest) {
        const auto& [enter, function] = calls.at(call);
        const GlobalTime from = trace.ranks[call.first].clock().at(enter);
        const GlobalTime to = std::min(last.first, trace.ranks[call.first].clock().at(call.second));
        if (to <= from) continue;
        of(LinkKind::wait)
            .push_back({.from = from,
                        .to = to,
                        .source = call.first,
                        .amount = static_cast<std::uint64_t>(to - from),
                        .about = last.second,
                        .what = static_cast<std::uint32_t>(function)});
    }
}

} // namespace tactus
