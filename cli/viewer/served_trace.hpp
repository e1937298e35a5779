// A trace that `tactus view` shows: by each kind of times that is asked for, with what was found out about it. Any
// thread may ask.
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

// On one kind of clocks.
struct TimedTrace {
    Trace trace;
    FunctionNames names;
    FunctionTable functions;
    TimeLine time_line;

    // Puts it on these clocks; says on standard error what takes some time.
    TimedTrace(Trace&& opened, Times times);
    ~TimedTrace();
    // Has all its messages gathered, once, while others go on. Whether that takes some more time.
    bool gather_links() const;
    [[nodiscard]] bool links_are_ready() const { return links_ready_.load(std::memory_order_acquire); }
    [[nodiscard]] bool is_gathering() const { return gatherer_.joinable() && !links_are_ready(); }

  private:
    mutable std::once_flag begun_;
    mutable std::atomic<bool> links_ready_{false}; // or they cannot be
    mutable std::thread gatherer_;
};

// A drawing of the run, or of a part of it: a row a process.
Result<std::string> timeline_svg(const TimedTrace& timed, const Window& part);

class ServedTrace {
  public:
    explicit ServedTrace(Trace&& trace) : corrected_{std::move(trace), Times::corrected} {}

    [[nodiscard]] const TimedTrace& corrected() const { return corrected_; }
    // By other times it is made when it is asked for first.
    Result<const TimedTrace*> by(Times times);
    // Of the whole run, found when it is asked for first: nothing of a trace that was not finished.
    const std::optional<RunWaits>& waits();

    // Source lines are one thread's: while somebody uses them, others wait.
    template <class Use> auto with_lines(const Use& use) {
        const std::lock_guard hold{lines_lock_};
        return use(lines_);
    }
    // Something is being made that nobody can stop.
    [[nodiscard]] bool is_busy();
    // Of a place that was told.
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
