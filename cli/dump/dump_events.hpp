// A record as lines of text, in two forms: one line a record, or the events it stands for, as in
//
//   MPI_Send()       (enter, send, exit)
//   MPI_Recv()       (enter, receive, exit)
//   MPI_Allreduce()  (enter, collective exit)
//
// A send happens when the call is entered, a receive and a collective when it is left. Pure.
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

// "MPI_Send  1.234 us  to 1 tag 7 comm MPI_COMM_WORLD bytes 8"
std::string record_text(const RankFile& file, const Record& record, Words words);

// In the order of their ticks.
std::vector<EventLine> event_lines(const RankFile& file, const Record& record, Words words);

} // namespace tactus
