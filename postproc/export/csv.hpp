// Tables of a trace as CSV: a line of names, then a line for each row, each ended by one newline. A field is quoted as
// in RFC 4180 where that is needed. One thread. Memory is that of the table's source: none for events, that of pairing
// for messages, paths of functions for samples, the profile for all others.
#pragma once

#include "base/result.hpp"
#include "postproc/export/exported.hpp"
#include "postproc/export/place_names.hpp"
#include "postproc/export/steps.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus {

struct CsvTable {
    const char* name;
    const char* content;
};
inline constexpr std::array<CsvTable, 14> csv_tables = {{
    {"events", "every call, region, counter value and comment"},
    {"messages", "every message whose sender and receiver are known"},
    {"functions", "calls by function"},
    {"places", "calls by call place"},
    {"ranks", "calls by rank"},
    {"traffic", "messages by sender and receiver"},
    {"collectives", "collectives by function"},
    {"regions", "regions of VT.h"},
    {"counters", "counters of VT.h"},
    {"waits", "who waited for whom, where, how long"},
    {"waiting_ranks", "waiting by rank"},
    {"stretches", "what the operating system counted for each thread"},
    {"samples", "what threads were doing when they were looked at"},
    {"nccl", "operations of NCCL, rank by rank"},
}};

// `path` is a file that does not exist yet, or "-".
Result<Exported> export_csv(const Trace& trace, const StepClock& clock, std::string_view table, const std::string& path,
                            const PlaceNames& names);
// Writes every table to its file NAME.csv, in a folder that does not exist yet.
Result<Exported> export_all_csv(const Trace& trace, const StepClock& clock, const std::string& folder,
                                const PlaceNames& names);

} // namespace tactus
