// `tactus check`: tells whether a trace keeps within limits, for continuous integration.
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/report.hpp"
#include "cli/report/waits_text.hpp"
#include "cli/source_lines.hpp"
#include "postproc/waits/run_waits.hpp"

#include <fmt/format.h>

namespace tactus {
namespace {

class Checking {
  public:
    // Prints one result. `within`: the limit is kept.
    void say(bool within, const std::string& text) {
        fmt::print("{:<5}{}\n", within ? "ok" : "FAIL", text);
        if (!within) status_ = exit_code::beyond;
    }
    [[nodiscard]] int status() const { return status_; }

  private:
    int status_ = exit_code::fine;
};

} // namespace

int check(const CheckRequest& request) {
    if (!request.max_wait && !request.min_efficiency)
        return misused("nothing to check: --max-wait SHARE and --min-efficiency SHARE say what (as in: tactus check "
                       "app.tactus --max-wait 10%)");
    const auto trace = Trace::open(request.trace);
    if (!trace) return fail(trace.error());
    if (!trace->problems.empty()) return tell(trace->problems);
    std::optional<RunWaits> waits = waits_of(*trace, {.wanted = request.min_efficiency.has_value(), .network = {}});
    if (!waits)
        return fail(
            Error{.what = "its waits are not known", .file = request.trace, .advice = "`tactus finish` finds them"});
    const Profile profile = make_profile(*trace);
    take_base(*waits, profile);
    Checking checking;
    if (request.max_wait) {
        if (waits->total_s <= 0) return fail(Error{.what = "its ranks took no time", .file = request.trace});
        const double share = waits->waited_share();
        SourceLines lines{trace->path};
        Callers callers{profile, lines};
        checking.say(share <= *request.max_wait,
                     fmt::format("waiting {} of the time of all ranks, limit {}; {}", percent_text(share),
                                 percent_text(*request.max_wait), largest_loss_text(*waits, profile, callers)));
    }
    if (request.min_efficiency) {
        if (!waits->efficiency)
            return fail(Error{.what = "its efficiency is not known: " + waits->no_efficiency, .file = request.trace});
        checking.say(
            waits->efficiency->parallel() >= *request.min_efficiency,
            fmt::format("efficiency {}; limit {}", efficiency_text(*waits), percent_text(*request.min_efficiency)));
    }
    return checking.status();
}

} // namespace tactus
