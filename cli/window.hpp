// The part of a run that --from and --to ask for, in seconds since the earliest start of a rank. Pure functions.
#pragma once

#include "postproc/profile/window.hpp"
#include "trace/rank_file.hpp"

namespace tactus {

inline constexpr const char* nothing_between = "there is nothing between --from and --to";

GlobalTime time_at(const Trace& trace, double seconds);

// A window in seconds, and how much of the run lies in it. An end that was not asked for is that of the run.
struct WindowShown {
    double from_s = 0;
    double to_s = 0;
    double inside_s = 0;
    double run_s = 0; // from the earliest enter to the latest leave
};
WindowShown window_shown(const Trace& trace, const Window& window);

} // namespace tactus
