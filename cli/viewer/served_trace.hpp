// A trace that `tactus view` shows, with each kind of times that the page asked for, and with results that are computed
// only once. Any thread may call the functions.
#pragma once

#include "cli/commands.hpp"
#include "cli/source_lines.hpp"
#include "cli/viewer/picture.hpp"
#include "cli/window.hpp"
#include "postproc/view/time_line.hpp"
#include "postproc/waits/run_waits.hpp"

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace tactus {

// A trace with one kind of times.
struct TimedTrace {
    Trace trace;
    FunctionNames names;
    FunctionTable functions;
    TimeLine time_line;

    // Puts the trace on these clocks. Prints to standard error what takes a while.
    TimedTrace(Trace&& opened, Times times);
    ~TimedTrace();
    // Starts a thread that gathers all messages, unless that was done before. Returns whether it is still at work.
    bool gather_links() const;
    [[nodiscard]] bool links_are_ready() const { return links_ready_.load(std::memory_order_acquire); }
    [[nodiscard]] bool is_gathering() const { return gatherer_.joinable() && !links_are_ready(); }

  private:
    mutable std::once_flag begun_;
    // Also set if gathering failed. gather_links() stores it with release, which pairs with links_are_ready().
    mutable std::atomic<bool> links_ready_{false};
    mutable std::thread gatherer_;
};

// Returns an SVG drawing of the run, or of a part of it, with one row for each process.
Result<std::string> timeline_svg(const TimedTrace& timed, const Window& part);

class ServedTrace {
  public:
    explicit ServedTrace(Trace&& trace)
        : corrected_{std::move(trace), Times::corrected}, lines_{corrected_.trace.path} {}

    [[nodiscard]] const TimedTrace& corrected() const { return corrected_; }
    // Returns the trace with these times, which is made at the first call. The result lives as long as this object.
    Result<const TimedTrace*> by(Times times);
    // Returns the waits of the whole run, which are computed at the first call. Nothing if the trace was not finished.
    const std::optional<RunWaits>& waits();

    // Calls `use` with the source lines. Only one thread can use them at a time, so others wait.
    template <class Use> auto with_lines(const Use& use) {
        const std::lock_guard hold{lines_lock_};
        return use(lines_);
    }
    // Whether a thread gathers messages, which cannot be stopped.
    [[nodiscard]] bool is_busy();
    // Remembers the source line of a call place that was sent to the page as `text`. The page can only ask for the
    // source at such places.
    void remember(const std::string& text, const SourceLine& line);
    [[nodiscard]] std::optional<SourceLine> line_at(const std::string& text);

  private:
    TimedTrace corrected_;
    std::mutex others_lock_;
    std::map<Times, std::unique_ptr<TimedTrace>> others_;
    std::once_flag waits_found_;
    std::optional<RunWaits> waits_;
    std::mutex lines_lock_;
    SourceLines lines_;
    std::mutex told_lock_;
    std::map<std::string, SourceLine> told_;
};

} // namespace tactus
