// Single calls and regions of threads, for a close look at a picture.
#pragma once

#include "cli/source_lines.hpp"
#include "postproc/view/time_line.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tactus {

struct ThreadCall {
    GlobalTime begin = 0;
    GlobalTime end = 0;
    std::string function;
    std::string text; // as `tactus dump` prints it
    std::optional<Place> place;
};
struct ThreadCalls {
    std::vector<ThreadCall> calls; // by begin
    bool more = false;             // there are more calls
};
// Returns the calls of a line that overlap [from, to): at most `most` calls, from at most 64 blocks.
ThreadCalls calls_between(const TimeLine& time_line, std::size_t line, GlobalTime from, GlobalTime to,
                          std::size_t most);

// What to look for: calls and regions whose name or call place contains `text`, in upper or lower case.
struct Wanted {
    std::string text;                     // empty: any call
    bool exact = false;                   // `text` must be the exact name of the function
    std::optional<std::size_t> line = {}; // the thread to search; empty: all threads
    bool behind = true;                   // find the first that begins after `time`; otherwise the last before it
    GlobalTime time = 0;
};
struct FoundCall {
    std::size_t line = 0; // of TimeLine::lines()
    GlobalTime begin = 0;
    GlobalTime end = 0;
    std::string function;
};
// If several calls begin at the same time, returns that of the first thread. No other thread may use `places` during
// the call.
std::optional<FoundCall> find_call(const TimeLine& time_line, const Wanted& wanted, SourceLines& places);

} // namespace tactus
