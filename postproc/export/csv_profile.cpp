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
    for (const FunctionProfile& one : profile.functions) put_stats(rows.text(one.name), one.stats).end();
    return rows.rows();
}

std::uint64_t put_places(const Profile& profile, const PlaceText& place_text, OutputFile& out) {
    CsvRows rows{out, with_stats("function,place,module,offset")};
    for (const PlaceProfile& one : profile.places) {
        rows.text(one.name).text(place_text(one.place)).text(one.place.module).number(one.place.offset);
        put_stats(rows, one.stats).end();
    }
    return rows.rows();
}

std::uint64_t put_ranks(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, with_stats("rank,host,threads,wall_s,mpi_s,other_s")};
    for (const RankProfile& one : profile.ranks) {
        rows.number(one.rank).text(one.host).number(one.lanes).number(one.wall_s).number(one.mpi.time_s);
        put_stats(rows.number(one.other_s()), one.mpi).end();
    }
    return rows.rows();
}

std::uint64_t put_traffic(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, "sender,receiver,messages,bytes"};
    for (const Traffic& one : profile.messages)
        rows.number(one.from).number(one.to).number(one.messages).number(one.bytes).end();
    return rows.rows();
}

std::uint64_t put_collectives(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, with_stats("function") + ",mean_s_per_rank,max_s_per_rank,max_rank"};
    for (const CollectiveProfile& one : profile.collectives)
        put_stats(rows.text(one.name), one.stats)
            .number(one.time.mean_s)
            .number(one.time.max_s)
            .number(one.time.max_rank)
            .end();
    return rows.rows();
}

std::uint64_t put_regions(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, "name,scope,count,unfinished,time_s,own_s,mpi_s,min_s,avg_s,max_s"};
    for (const RegionProfile& one : profile.regions) {
        rows.text(one.name).number(one.scope).number(one.count).number(one.unfinished).number(one.time_s);
        rows.number(one.own_s).number(one.mpi_s).number(one.min_s).number(one.avg_s()).number(one.max_s).end();
    }
    return rows.rows();
}

std::uint64_t put_counters(const Profile& profile, OutputFile& out) {
    CsvRows rows{out, "name,unit,values,min,mean,max"};
    for (const CounterProfile& one : profile.counters)
        rows.text(one.name).text(one.unit).number(one.values).number(one.min).number(one.mean()).number(one.max).end();
    return rows.rows();
}

std::uint64_t put_waits(const RunWaits& waits, const PlaceText& place_text, OutputFile& out) {
    CsvRows rows{out, "kind,victim,victims,causer,function,place,causer_function,causer_place,count,seconds,longest_s"};
    for (const WaitGroup& one : waits.groups) {
        rows.text(wait_names[static_cast<std::size_t>(one.kind)].key).number(one.victim).number(one.victims);
        rows.number(one.causer).text(name_of(one.victim_function)).text(place_text(one.victim_place));
        rows.text(name_of(one.causer_function)).text(place_text(one.causer_place));
        rows.number(one.count).number(one.seconds).number(one.longest_s).end();
    }
    return rows.rows();
}

std::uint64_t put_waiting_ranks(const RunWaits& waits, OutputFile& out) {
    CsvRows rows{out, "rank,seconds,computed_s,waited_s,caused_s"};
    for (const WaitingRank& one : waits.ranks)
        rows.number(one.rank)
            .number(one.seconds)
            .number(one.computed_s)
            .number(one.waited_s)
            .number(one.caused_s)
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
