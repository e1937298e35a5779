// A record as lines of text, in two forms: one line for the record, or one line for each event of it, as in
//
//   MPI_Send()       (enter, send, exit)
//   MPI_Recv()       (enter, receive, exit)
//   MPI_Allreduce()  (enter, collective exit)
//
// A send happens when the call is entered, a receive and a collective when it is left. Pure functions.
#pragma once

#include "trace/rank_file.hpp"
#include "trace/words.hpp"

#include <string>
#include <vector>

namespace tactus {

struct EventLine {
    Ticks tick = 0;
    std::string text;
};

// Where the line of a record, or of a note, stands. A note about calls that were not recorded has the time at which
// recording began again.
inline Ticks line_tick(const Record& record) { return record.what.kind == Kind::loss ? record.leave : record.enter; }

// Returns text such as "MPI_Send  1.234 us  to 1 tag 7 comm MPI_COMM_WORLD bytes 8".
std::string record_text(const RankFile& file, const Record& record, Words words);

// Returns the events in the order of their ticks.
std::vector<EventLine> event_lines(const RankFile& file, const Record& record, Words words);

} // namespace tactus
