#include "postproc/export/csv_profile.hpp"

#include "postproc/export/csv_row.hpp"
#include "trace/shapes.hpp"

namespace tactus {
namespace {

constexpr const char* stats_names = "calls,failed,time_s,min_s,avg_s,max_s,sent_bytes,received_bytes";

std::string with_stats(const std::string& names) { return names + "," + stats_names; }

CsvRows& put_stats(CsvRows& rows, const CallStats& stats) {
    rows.number(stats.calls).number(stats.failed).number(stats.time_s).number(stats.calls == 0 ? 0 : stats.min_s);
    return rows.number(stats.avg_s()).number(stats.max_s).number(stats.sent_bytes).number(stats.received_bytes);
}

std::uint64_t put_functions(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, with_stats("function")};
    for (const FunctionProfile& function_profile : profile.functions)
        put_stats(rows.text(function_profile.name), function_profile.stats).end();
    return rows.rows();
}

std::uint64_t put_places(const Profile& profile, const PlaceText& place_text, OutputFile& out) {
    CsvRows rows{out, with_stats("function,place,module,offset")};
    for (const PlaceProfile& place_profile : profile.places) {
        rows.text(place_profile.name)
            .text(place_text(place_profile.place))
            .text(place_profile.place.module)
            .number(place_profile.place.offset);
        put_stats(rows, place_profile.stats).end();
    }
    return rows.rows();
}

std::uint64_t put_ranks(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, with_stats("rank,host,threads,wall_s,mpi_s,other_s")};
    for (const RankProfile& rank_profile : profile.ranks) {
        rows.number(rank_profile.rank)
            .text(rank_profile.host)
            .number(rank_profile.lanes)
            .number(rank_profile.wall_s)
            .number(rank_profile.mpi.time_s);
        put_stats(rows.number(rank_profile.other_s()), rank_profile.mpi).end();
    }
    return rows.rows();
}

std::uint64_t put_traffic(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, "sender,receiver,messages,bytes"};
    for (const Traffic& traffic : profile.messages)
        rows.number(traffic.from).number(traffic.to).number(traffic.messages).number(traffic.bytes).end();
    return rows.rows();
}

std::uint64_t put_collectives(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, with_stats("function") + ",mean_s_per_rank,max_s_per_rank,max_rank"};
    for (const CollectiveProfile& collective : profile.collectives)
        put_stats(rows.text(collective.name), collective.stats)
            .number(collective.time.mean_s)
            .number(collective.time.max_s)
            .number(collective.time.max_rank)
            .end();
    return rows.rows();
}

std::uint64_t put_regions(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, "name,scope,count,unfinished,time_s,own_s,mpi_s,min_s,avg_s,max_s"};
    for (const RegionProfile& region : profile.regions) {
        rows.text(region.name)
            .number(region.scope)
            .number(region.count)
            .number(region.unfinished)
            .number(region.time_s);
        rows.number(region.own_s)
            .number(region.mpi_s)
            .number(region.min_s)
            .number(region.avg_s())
            .number(region.max_s)
            .end();
    }
    return rows.rows();
}

std::uint64_t put_counters(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, "name,unit,values,min,mean,max"};
    for (const CounterProfile& counter : profile.counters)
        rows.text(counter.name)
            .text(counter.unit)
            .number(counter.values)
            .number(counter.min)
            .number(counter.mean())
            .number(counter.max)
            .end();
    return rows.rows();
}

std::uint64_t put_waits(const RunWaits& waits, const PlaceText& place_text, OutputFile& out) {
    CsvRows rows{out, "kind,victim,victims,causer,function,place,causer_function,causer_place,count,seconds,longest_s"};
    for (const WaitGroup& group : waits.groups) {
        rows.text(wait_names[static_cast<std::size_t>(group.kind)].key)
            .number(group.victim)
            .number(group.victims.size());
        rows.number(group.causer).text(name_of(group.victim_function)).text(place_text(group.victim_place));
        rows.text(name_of(group.causer_function)).text(place_text(group.causer_place));
        rows.number(group.count).number(group.seconds).number(group.longest_s).end();
    }
    return rows.rows();
}

std::uint64_t put_waiting_ranks(const RunWaits& waits, OutputFile& out) {
    CsvRows rows{out, "rank,seconds,computed_s,waited_s,caused_s"};
    for (const WaitingRank& waiting_rank : waits.ranks)
        rows.number(waiting_rank.rank)
            .number(waiting_rank.seconds)
            .number(waiting_rank.computed_s)
            .number(waiting_rank.waited_s)
            .number(waiting_rank.caused_s)
            .end();
    return rows.rows();
}

} // namespace

bool put_csv_profile(const Profile& profile, std::string_view table, const PlaceText& place_text, OutputFile& out,
                     Exported& exported) {
    std::uint64_t rows = 0;
    if (table == "functions")
        rows = put_functions(profile, out);
    else if (table == "places")
        rows = put_places(profile, place_text, out);
    else if (table == "ranks")
        rows = put_ranks(profile, out);
    else if (table == "traffic")
        rows = put_traffic(profile, out);
    else if (table == "collectives")
        rows = put_collectives(profile, out);
    else if (table == "regions")
        rows = put_regions(profile, out);
    else if (table == "counters")
        rows = put_counters(profile, out);
    else
        return false;
    exported.events += rows;
    return true;
}

bool put_csv_waits(const RunWaits& waits, std::string_view table, const PlaceText& place_text, OutputFile& out,
                   Exported& exported) {
    if (table == "waits")
        exported.events += put_waits(waits, place_text, out);
    else if (table == "waiting_ranks")
        exported.events += put_waiting_ranks(waits, out);
    else
        return false;
    return true;
}

} // namespace tactus
