#include "postproc/export/csv_samples.hpp"

#include "postproc/export/csv_row.hpp"
#include "postproc/profile/samples.hpp"
#include "trace/processor_counters.hpp"
#include "trace/sample.hpp"
#include "trace/stretch.hpp"
#include "trace/symbols.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace tactus {
namespace {

const char* state_of(std::int32_t peer) {
    switch (peer) {
    case sampled::on_core:
        return "on_core";
    case sampled::in_python:
        return "in_python";
    case sampled::call_begins:
        return "call_begins";
    case sampled::call_ends:
        return "call_ends";
    default:
        return "blocked";
    }
}

class SampleRows {
  public:
    SampleRows(const RankFile& file, const StepClock& clock, const PlaceNames& names, CsvRows& rows)
        : file_{file}, clock_{clock}, names_{names}, rows_{rows}, places_{file.definitions().modules} {
        const std::vector<Sampling>& known = file.definitions().sampling;
        if (!known.empty()) period_s_ = 1e-9 * static_cast<double>(known.back().period_ns);
    }

    void take(const Record& record, Words words) {
        places_.add(record, words);
        if (record.what.kind == Kind::sample) put(record, words);
    }

  private:
    void put(const Record& record, Words words) {
        const Signature& what = record.what;
        const DelayLine* const delay = what.type > 0 ? clock_.delay_of(file_.header().rank, what.type - 1) : nullptr;
        rows_.number(file_.header().rank);
        what.type > 0 ? rows_.number(what.type - 1) : rows_.none();
        what.tag > 0 ? rows_.number(what.tag) : rows_.none();
        rows_.seconds(clock_.at(file_, delay, record.enter)).text(state_of(what.peer));
        if (sampled::is_of_call(what.peer))
            rows_.number(file_.seconds(what.bytes));
        else if (what.peer != sampled::on_core)
            rows_.number(sampled::between_looks_s);
        else
            period_s_ > 0 ? rows_.number(period_s_) : rows_.none();
        what.peer >= 0 ? rows_.text(names_.system_call(what.peer)) : rows_.none();
        sampled::is_of_call(what.peer) ? rows_.none() : rows_.text(text_in(words, what.bytes));
        const Place& place = places_.at(what.place);
        rows_.text(name_of_function(place)).text(names_.place(place)).number(!what.has(flag::unfinished));
        rows_.text(path_text(place, what.comm)).end();
    }

    // As tools for flame graphs take it: "main;step;relax".
    const std::string& path_text(const Place& place, std::uint32_t path) {
        std::vector<const std::string*> names = {&name_of_function(place)};
        places_.each_caller(path, [&](const Place& caller) {
            names.push_back(&name_of_function(caller));
            return true;
        });
        path_.clear();
        for (std::size_t i = names.size(); i-- > 0;) path_ += *names[i] + (i > 0 ? ";" : "");
        return path_;
    }

    // Its place, where the name is not known. Semicolons part names.
    const std::string& name_of_function(const Place& place) {
        const auto [known, fresh] = functions_.try_emplace(&place);
        if (!fresh) return known->second;
        known->second = names_.function_or_place(place);
        std::ranges::replace(known->second, ';', ',');
        return known->second;
    }

    const RankFile& file_;
    const StepClock& clock_;
    const PlaceNames& names_;
    CsvRows& rows_;
    SamplePlaces places_;
    std::unordered_map<const Place*, std::string> functions_; // places stay where they are
    std::string path_;
    double period_s_ = 0;
};

// Of all ranks, in the order in which they come.
std::vector<std::string> counter_names(const Trace& trace) {
    std::vector<std::string> names;
    for (const RankFile& file : trace.ranks)
        for (const ProcessorCounter& counter : processor_counters(file.definitions()))
            if (std::ranges::find(names, counter.name) == names.end()) names.push_back(counter.name);
    return names;
}

} // namespace

void put_csv_stretches(const Trace& trace, const StepClock& clock, OutputFile& out, Exported& exported) {
    const std::vector<std::string> counters = counter_names(trace);
    std::string columns = "rank,thread,begin_s,end_s,on_core_s,without_core_s,in_kernel_s,minor_faults,major_faults,"
                          "voluntary_switches,involuntary_switches,cpu";
    for (const std::string& name : counters) columns += ',' + name;
    CsvRows rows{out, columns};
    for (const RankFile& file : trace.ranks) {
        const NamedCounts counts{file.definitions()};
        for (const LaneBlocks blocks : lanes_of(file)) {
            LaneWalk walk{file, blocks};
            const DelayLine* const delay = clock.delay_of(file.header().rank, walk.lane());
            while (walk.next()) {
                const auto stretch = Stretch::from(walk.record(), walk.words());
                if (!stretch) continue;
                rows.number(file.header().rank).number(walk.lane());
                rows.seconds(clock.at(file, delay, walk.record().enter - stretch->length))
                    .seconds(clock.at(file, delay, walk.record().enter))
                    .number(1e-9 * static_cast<double>(stretch->ran_ns));
                stretch->waited_ns >= 0 ? rows.number(1e-9 * static_cast<double>(stretch->waited_ns)) : rows.none();
                rows.number(1e-9 * static_cast<double>(stretch->system_ns))
                    .number(stretch->minor_faults)
                    .number(stretch->major_faults)
                    .number(stretch->voluntary_switches)
                    .number(stretch->involuntary_switches);
                walk.record().what.tag >= 0 ? rows.number(walk.record().what.tag) : rows.none();
                for (const std::string& name : counters) {
                    const auto count = counts.count(*stretch, name);
                    count ? rows.number(*count) : rows.none();
                }
                rows.end();
            }
            for (const Error& error : walk.unreadable()) keep_error(exported.unreadable, error);
        }
    }
    exported.events += rows.rows();
}

void put_csv_samples(const Trace& trace, const StepClock& clock, const PlaceNames& names, OutputFile& out,
                     Exported& exported) {
    CsvRows rows{out, "rank,thread,os_thread,time_s,state,seconds,blocked_in,file,function,place,complete,path"};
    for (const RankFile& file : trace.ranks) {
        SampleRows samples{file, clock, names, rows};
        LaneWalk walk{file, samples_of(file)};
        while (walk.next()) samples.take(walk.record(), walk.words());
        for (const Error& error : walk.unreadable()) keep_error(exported.unreadable, error);
    }
    exported.events += rows.rows();
}

} // namespace tactus
