// Single calls and regions of threads, for who looks closely at a picture.
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
    std::string text; // as `tactus dump` has it
    std::optional<Place> place;
};
struct ThreadCalls {
    std::vector<ThreadCall> calls; // by begin
    bool more = false;             // there are others
};
// Those of a line that lie in [from, to) at least in part, no more than `most`, from the records of no more than some
// blocks.
ThreadCalls calls_between(const TimeLine& time_line, std::size_t line, GlobalTime from, GlobalTime to,
                          std::size_t most);

// What to look for: calls and regions whose name, or place, has the text in it, in capital letters or small ones.
struct Wanted {
    std::string text;                     // empty: any
    bool exact = false;                   // the text is the name of the function, as it is
    std::optional<std::size_t> line = {}; // of which thread; none: of all
    bool behind = true;                   // the first that begins behind `time`; else the last that begins before
    GlobalTime time = 0;
};
struct FoundCall {
    std::size_t line = 0; // of TimeLine::lines()
    GlobalTime begin = 0;
    GlobalTime end = 0;
    std::string function;
};
// Of all threads; of several that begin then, the one of the first. `places`: while they are used, nobody else does.
std::optional<FoundCall> find_call(const TimeLine& time_line, const Wanted& wanted, SourceLines& places);

} // namespace tactus
