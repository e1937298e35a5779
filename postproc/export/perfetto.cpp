#include "postproc/export/perfetto.hpp"

#include "postproc/export/perfetto_fields.hpp"
#include "postproc/export/perfetto_rank.hpp"

namespace tactus {
namespace {

// Says which date time 0 of the trace is.
void put_date(const Trace& trace, const StepClock& clock, OutputFile& out) {
    const auto since = static_cast<std::int64_t>(to_ns(clock.begin()));
    Protobuf snapshot;
    const auto add = [&](std::uint64_t id, std::uint64_t ns) {
        Protobuf protobuf;
        protobuf.number(perfetto::snapshot::clock_id, id).number(perfetto::snapshot::timestamp, ns);
        snapshot.message(perfetto::snapshot::clocks, protobuf);
    };
    add(perfetto::snapshot::boottime, 0);
    add(perfetto::snapshot::realtime, static_cast<std::uint64_t>(trace.origin_realtime_ns() + since));
    Protobuf packet;
    packet.number(perfetto::packet::sequence, trace.ranks.back().header().rank + std::uint64_t{2})
        .message(perfetto::packet::clock_snapshot, snapshot);
    Protobuf whole;
    whole.message(perfetto::trace_packet, packet);
    out.put(whole.bytes());
}

} // namespace

Result<Exported> export_perfetto(const Trace& trace, const StepClock& clock, const std::string& path,
                                 const PlaceNames& names) {
    auto out = OutputFile::open(path);
    if (!out) return out.error();
    Exported exported;
    const Flows flows{trace};
    for (std::size_t i = 0; i < unmatched_count; ++i)
        exported.not_said.add(std::string{"messages "} + unmatched_meanings[i] + ", without arrows",
                              flows.counts().unmatched[i]);
    put_date(trace, clock, *out);
    const std::uint64_t last_sequence = trace.ranks.back().header().rank + std::uint64_t{2};
    for (const RankFile& file : trace.ranks) {
        if (!out->good()) break;
        PerfettoThreads threads{file, clock, names, last_sequence + 1 + file.header().rank, *out, exported.not_said};
        PerfettoRank rank{file, flows, threads, *out, exported.not_said};
        for_each_step(
            file, clock, [&](const ExportStep& step) { rank.at(step); }, exported.unreadable);
        threads.finish_stretches();
        LaneWalk samples{file, samples_of(file)};
        while (samples.next()) threads.sampled(samples.record(), samples.words());
        for (const Error& error : samples.unreadable()) keep_error(exported.unreadable, error);
        exported.events += rank.events() + threads.events();
    }
    if (const Outcome closed = out->close(); !closed) return closed.error();
    return exported;
}

} // namespace tactus
