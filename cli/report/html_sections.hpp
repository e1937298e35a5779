// The tables of the page that `tactus report --html` writes: lists of the JSON report, and the members of their rows.
#pragma once

#include <span>

namespace tactus {

// `words` is a key such as late_sender, which is shown with blanks.
enum class CellKind { text, words, count, seconds, share, bytes };

struct HtmlColumn {
    const char* pointer; // a JSON pointer into a row
    const char* title;
    CellKind kind;
};
struct HtmlSection {
    const char* key; // JSON pointer to a list of the report, without the first slash
    const char* title;
    std::span<const HtmlColumn> columns;
};

inline constexpr HtmlColumn wait_columns[] = {
    {"/kind", "wait", CellKind::words},
    {"/seconds", "time", CellKind::seconds},
    {"/count", "count", CellKind::count},
    {"/longest_s", "longest", CellKind::seconds},
    {"/victim", "most on rank", CellKind::count},
    {"/place/function", "in", CellKind::text},
    {"/place/text", "at", CellKind::text},
    {"/causer", "for rank", CellKind::count},
    {"/causer_place/function", "in", CellKind::text},
    {"/causer_place/text", "at", CellKind::text},
};
inline constexpr HtmlColumn root_columns[] = {
    {"/rank", "rank", CellKind::count},         {"/before/function", "busy before", CellKind::text},
    {"/before/text", "at", CellKind::text},     {"/seconds", "waits", CellKind::seconds},
    {"/direct_s", "for it", CellKind::seconds}, {"/indirect_s", "further on", CellKind::seconds},
};
inline constexpr HtmlColumn function_columns[] = {
    {"/name", "function", CellKind::text},    {"/calls", "calls", CellKind::count},
    {"/time_s", "time", CellKind::seconds},   {"/min_s", "shortest", CellKind::seconds},
    {"/avg_s", "average", CellKind::seconds}, {"/max_s", "longest", CellKind::seconds},
    {"/sent_bytes", "sent", CellKind::bytes}, {"/received_bytes", "received", CellKind::bytes},
};
inline constexpr HtmlColumn place_columns[] = {
    {"/text", "place", CellKind::text},     {"/function", "function", CellKind::text},
    {"/caller", "in", CellKind::text},      {"/calls", "calls", CellKind::count},
    {"/time_s", "time", CellKind::seconds}, {"/avg_s", "average", CellKind::seconds},
};
inline constexpr HtmlColumn rank_columns[] = {
    {"/rank", "rank", CellKind::count},
    {"/host", "host", CellKind::text},
    {"/threads", "threads", CellKind::count},
    {"/wall_s", "wall time", CellKind::seconds},
    {"/mpi_s", "in MPI", CellKind::seconds},
    {"/other_s", "elsewhere", CellKind::seconds},
    {"/mpi_share", "share of MPI", CellKind::share},
    {"/sent_bytes", "sent", CellKind::bytes},
    {"/received_bytes", "received", CellKind::bytes},
};
inline constexpr HtmlColumn message_columns[] = {
    {"/from", "from rank", CellKind::count},
    {"/to", "to rank", CellKind::count},
    {"/messages", "messages", CellKind::count},
    {"/bytes", "bytes", CellKind::bytes},
};
inline constexpr HtmlColumn collective_columns[] = {
    {"/name", "operation", CellKind::text},
    {"/calls", "calls", CellKind::count},
    {"/time_s", "time", CellKind::seconds},
    {"/avg_s", "average", CellKind::seconds},
    {"/bytes", "bytes", CellKind::bytes},
    {"/balance/ratio", "longest rank : mean", CellKind::text},
    {"/balance/max_rank", "longest on rank", CellKind::count},
};
inline constexpr HtmlColumn nccl_operation_columns[] = {
    {"/operation", "operation", CellKind::text},
    {"/least_bytes", "bytes from", CellKind::bytes},
    {"/count", "count", CellKind::count},
    {"/bytes", "bytes", CellKind::bytes},
    {"/time_s", "time", CellKind::seconds},
    {"/avg_s", "average", CellKind::seconds},
    {"/arrival_share", "arriving", CellKind::share},
    {"/from_last_arrival/algbw_gbs", "algbw GB/s", CellKind::text},
    {"/from_last_arrival/busbw_gbs", "busbw GB/s", CellKind::text},
    {"/with_waits/algbw_gbs", "algbw with waits", CellKind::text},
    {"/with_waits/busbw_gbs", "busbw with waits", CellKind::text},
    {"/known/full", "full", CellKind::count},
    {"/known/partial", "partial", CellKind::count},
    {"/known/proxy", "proxy", CellKind::count},
    {"/known/enqueue-only", "enqueue-only", CellKind::count},
};
inline constexpr HtmlColumn nccl_kernel_columns[] = {
    {"/name", "kernel", CellKind::text},
    {"/count", "count", CellKind::count},
    {"/time_s", "time", CellKind::seconds},
    {"/avg_s", "average", CellKind::seconds},
    {"/joined", "joined to operations", CellKind::count},
    {"/working_share", "its channels working", CellKind::share},
};
inline constexpr HtmlColumn nccl_late_columns[] = {
    {"/rank", "rank", CellKind::count},
    {"/last", "came last", CellKind::count},
    {"/certain", "for certain", CellKind::count},
    {"/caused_s", "made wait", CellKind::seconds},
};
inline constexpr HtmlColumn nccl_wait_columns[] = {
    {"/rank", "rank", CellKind::count},         {"/function", "in", CellKind::text},
    {"/causer", "for rank", CellKind::count},   {"/seconds", "time", CellKind::seconds},
    {"/count", "count", CellKind::count},       {"/longest_s", "longest", CellKind::seconds},
    {"/within_s", "within", CellKind::seconds},
};
inline constexpr HtmlColumn region_columns[] = {
    {"/name", "region", CellKind::text},     {"/count", "count", CellKind::count},
    {"/time_s", "time", CellKind::seconds},  {"/own_s", "own", CellKind::seconds},
    {"/mpi_s", "in MPI", CellKind::seconds},
};
inline constexpr HtmlColumn counter_columns[] = {
    {"/name", "counter", CellKind::text}, {"/unit", "unit", CellKind::text}, {"/values", "values", CellKind::count},
    {"/min", "least", CellKind::text},    {"/mean", "mean", CellKind::text}, {"/max", "greatest", CellKind::text},
};

inline constexpr HtmlSection html_sections[] = {
    {"waits", "Waits and who they are for", wait_columns},
    {"wait_roots", "Where waits come from", root_columns},
    {"functions", "Functions", function_columns},
    {"places", "Call places", place_columns},
    {"ranks", "Ranks", rank_columns},
    {"messages", "Messages", message_columns},
    {"collectives", "Collectives", collective_columns},
    {"nccl/operations", "NCCL operations", nccl_operation_columns},
    {"nccl/kernels", "NCCL: kernels by CUPTI", nccl_kernel_columns},
    {"nccl/late", "NCCL: who came last", nccl_late_columns},
    {"nccl/waits", "NCCL: waits for the last rank", nccl_wait_columns},
    {"regions", "Regions", region_columns},
    {"counters", "Counters", counter_columns},
};

} // namespace tactus
