#include "postproc/export/csv.hpp"

#include "postproc/export/csv_events.hpp"
#include "postproc/export/csv_nccl.hpp"
#include "postproc/export/csv_profile.hpp"
#include "postproc/export/csv_samples.hpp"
#include "postproc/export/new_output.hpp"
#include "postproc/nccl/rank_operations.hpp"

#include <optional>

namespace tactus {
namespace {

// Computes once what several tables share.
class Tables {
  public:
    Tables(const Trace& trace, const StepClock& clock, const PlaceNames& names)
        : trace_{trace}, clock_{clock}, names_{names} {}

    Outcome write(std::string_view table, const std::string& path) {
        auto out = OutputFile::open(path);
        if (!out) return out.error();
        if (table == "events")
            put_csv_events(trace_, clock_, names_.place, *out, exported);
        else if (table == "messages")
            put_csv_messages(trace_, clock_, *out, exported);
        else if (table == "stretches")
            put_csv_stretches(trace_, clock_, *out, exported);
        else if (table == "samples")
            put_csv_samples(trace_, clock_, names_, *out, exported);
        else if (table == "nccl")
            put_csv_nccl(trace_, clock_, *out, exported);
        else if (table == "waits" || table == "waiting_ranks")
            put_csv_waits(*waits(), table, names_.place, *out, exported);
        else
            put_csv_profile(profile(), table, names_.place, *out, exported);
        return out->close();
    }

    // True for the tables of waits if the trace was not finished and therefore has none.
    [[nodiscard]] bool lacks(std::string_view table) {
        return (table == "waits" || table == "waiting_ranks") && !waits();
    }

    Exported exported;

  private:
    const Profile& profile() {
        if (!profile_) {
            profile_ = make_profile(trace_);
            for (const Error& error : profile_->unreadable) keep_error(exported.unreadable, error);
        }
        return *profile_;
    }

    const std::optional<RunWaits>& waits() {
        if (!asked_) waits_ = waits_of(trace_, {.wanted = false, .network = {}});
        asked_ = true;
        return waits_;
    }

    const Trace& trace_;
    const StepClock& clock_;
    const PlaceNames& names_;
    std::optional<Profile> profile_;
    std::optional<RunWaits> waits_;
    bool asked_ = false;
};

} // namespace

Result<Exported> export_csv(const Trace& trace, const StepClock& clock, std::string_view table, const std::string& path,
                            const PlaceNames& names) {
    Tables tables{trace, clock, names};
    if (tables.lacks(table))
        return Error{.what = "has no waits, since it was not finished",
                     .file = trace.path,
                     .advice = "run `tactus finish` on it"};
    if (const Outcome done = tables.write(table, path); !done) return done.error();
    return std::move(tables.exported);
}

Result<Exported> export_all_csv(const Trace& trace, const StepClock& clock, const std::string& folder,
                                const PlaceNames& names) {
    auto made = NewOutput::folder(folder);
    if (!made) return made.error();
    Tables tables{trace, clock, names};
    for (const CsvTable& table : csv_tables) {
        if (table.name == std::string_view{"nccl"} && !has_nccl(trace)) continue;
        if (tables.lacks(table.name)) {
            tables.exported.not_said.add("table of waits, since the trace was not finished");
            continue;
        }
        const Outcome done = tables.write(table.name, folder + "/" + table.name + ".csv");
        if (!done) return done.error();
    }
    made->keep();
    return std::move(tables.exported);
}

} // namespace tactus
