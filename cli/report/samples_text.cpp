#include "cli/report/samples_text.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/table.hpp"
#include "trace/sample.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

namespace tactus {
namespace {

constexpr double least_locked = 0.2;  // of the time of threads that wait for locks
constexpr double least_of_run = 0.05; // of the time of all ranks
constexpr std::size_t most_functions_shown = 20;

std::string function_name(const Place& place, SourceLines& lines) {
    const SourceLine& line = lines.find(place);
    return line.function.empty() ? lines.text(place) : line.function;
}

struct OfFunction {
    std::string name;
    double seconds = 0;
    const RootSample* most = nullptr; // the sample with most time
};

bool takes_lock(std::string_view function) {
    constexpr auto parts =
        std::to_array<std::string_view>({"mutex_lock", "rwlock_wrlock", "rwlock_rdlock", "GOMP_critical",
                                         "GOMP_atomic_start", "omp_set_lock", "kmpc_critical", "kmpc_set_lock"});
    return std::ranges::any_of(parts, [&](std::string_view part) { return function.find(part) != function.npos; });
}

// The functions of the samples of one kind, most time first.
std::vector<OfFunction> functions_in(const std::vector<const RootSample*>& samples, SourceLines& lines) {
    std::map<std::string, OfFunction> by_name;
    for (const RootSample* sample : samples) {
        const Place& place = sample->what.place;
        const std::string name = place == Place{} ? std::string{} : function_name(place, lines);
        OfFunction& function = by_name[name];
        function.name = name;
        function.seconds += sample->seconds;
        if (function.most == nullptr || sample->seconds > function.most->seconds) function.most = sample;
    }
    std::vector<OfFunction> found;
    for (auto& [name, function] : by_name) found.push_back(std::move(function));
    std::ranges::stable_sort(found, std::greater{}, &OfFunction::seconds);
    return found;
}

std::string spot_text(const OfFunction& function, SourceLines& lines) {
    const SampledPlace& what = function.most->what;
    std::string text;
    if (!sampled::is_on_core(what.call)) {
        // The function that the program called says more than the system call, where it has a name.
        if (const std::string called = called_name(what, lines); !called.empty())
            text = fmt::format("in {}", printable(called));
        else if (what.call >= 0)
            text = fmt::format("in {}", system_call_name(what.call));
    }
    if (!text.empty() && !what.file.empty()) text += fmt::format(" of {}", printable(what.file));
    if (function.name.empty()) return text.empty() ? text : " " + text;
    const SourceLine& line = lines.find(what.place);
    const std::string at = line.known() ? fmt::format("{}:{}", file_name(line.file), line.line) : std::string{};
    if (text.empty())
        return fmt::format(" in {}{}", printable(function.name), at.empty() ? at : fmt::format(" ({})", at));
    return fmt::format(" {} ({}{})", text, printable(function.name), at.empty() ? at : ", " + at);
}

} // namespace

namespace {

// The function in which a rank was that came late, if one stands out.
struct LateFunction {
    OfFunction function;
    double share = 0; // of what the rank did, less what those who waited did as well
    ShareInterval interval;
    bool less_others = false; // whether those did anything
};

std::optional<LateFunction> late_function_of(const WaitRoot& root, bool blocked, SourceLines& lines) {
    const auto of_kind = [&](const std::vector<RootSample>& samples) {
        std::vector<const RootSample*> found;
        for (const RootSample& sample : samples)
            if (sampled::is_on_core(sample.what.call) != blocked) found.push_back(&sample);
        return found;
    };
    const std::vector<const RootSample*> samples = of_kind(root.sampled);
    std::uint64_t count = 0;
    double all_s = 0;
    for (const RootSample* sample : samples) {
        count += sample->samples;
        all_s += sample->seconds;
    }
    if (all_s <= 0) return {};
    std::vector<OfFunction> found = functions_in(samples, lines);
    const std::vector<OfFunction> others = functions_in(of_kind(root.peers), lines);
    double both_s = all_s;
    for (const OfFunction& function : others) both_s += function.seconds;
    double more_s = 0;
    for (OfFunction& function : found) {
        const auto same = std::ranges::find(others, function.name, &OfFunction::name);
        if (same != others.end()) function.seconds = std::max(0.0, function.seconds - same->seconds);
        more_s += function.seconds;
    }
    // A difference is as uncertain as the sum of both, so fewer samples would say as much.
    const double samples_of_more = static_cast<double>(count) * (more_s / all_s) * (more_s / both_s);
    if (samples_of_more < fewest_samples) return {};
    std::ranges::stable_sort(found, std::greater{}, &OfFunction::seconds);
    const double share = found.front().seconds / more_s;
    const auto interval = standing_out(share, found.size() > 1 ? found[1].seconds / more_s : 0, samples_of_more);
    if (!interval) return {};
    return LateFunction{found.front(), share, *interval, !others.empty()};
}

} // namespace

std::string late_function(const WaitRoot& root, bool blocked, SourceLines& lines) {
    const auto late = late_function_of(root, blocked, lines);
    return late ? late->function.name : std::string{};
}

std::string sampled_text(const WaitRoot& root, bool blocked, SourceLines& lines) {
    const auto late = late_function_of(root, blocked, lines);
    if (!late) return {};
    const std::string text = spot_text(late->function, lines);
    if (late->share >= nearly_all || text.empty()) return text;
    return fmt::format("{} for {} of {} (between {:.0f} and {:.0f})", text, percent_text(late->share),
                       late->less_others ? "what it did more than others" : "that", 100 * late->interval.low,
                       100 * late->interval.high);
}

double on_core_s(const RankSamples& samples, const SampledThread& thread) {
    double seconds = 0;
    for (const auto& [place, seen] : thread.counts)
        if (sampled::is_on_core(samples.places[place].call))
            seconds += samples.seconds_of(place) * static_cast<double>(seen);
    return seconds;
}

std::string called_name(const SampledPlace& what, SourceLines& lines) {
    std::string name = lines.find(what.called).function;
    name.resize(std::min(name.find('@'), name.size())); // the version of a symbol
    for (const std::string_view before : {"__GI_", "__"})
        if (name.starts_with(before)) name.erase(0, before.size());
    return name;
}

std::string lock_text(Report& report) {
    double lock_s = 0;
    double all_s = 0;
    std::uint64_t threads = 0;
    std::map<std::string, double> places;
    for (const RankProfile& rank : report.profile.ranks) {
        for (const SampledThread& thread : rank.samples.threads) {
            double own_lock_s = 0;
            double own_s = on_core_s(rank.samples, thread);
            for (const auto& [number, samples] : thread.counts) {
                const SampledPlace& what = rank.samples.places[number];
                if (sampled::is_on_core(what.call)) continue;
                const double seconds = sampled::between_looks_s * static_cast<double>(samples); // or more
                own_s += seconds;
                if (what.place == Place{}) continue;
                const std::string called = called_name(what, report.lines);
                if (!takes_lock(called)) continue;
                own_lock_s += seconds;
                places[fmt::format("{} in {} ({})", called, printable(function_name(what.place, report.lines)),
                                   printable(report.lines.caller_text(what.place)))] += seconds;
            }
            if (own_lock_s <= 0) continue;
            ++threads;
            lock_s += own_lock_s;
            all_s += own_s;
        }
    }
    const bool few = lock_s < fewest_samples * sampled::between_looks_s;
    if (few || lock_s < least_locked * all_s || lock_s < least_of_run * report.profile.total_s) return {};
    const auto most = std::ranges::max_element(places, {}, [](const auto& place) { return place.second; });
    return fmt::format("{} wait for locks for {} of their time outside MPI ({}), most in {}",
                       plural(threads, "thread", "threads"), percent_text(lock_s / all_s), duration_text(lock_s),
                       most->first);
}

// A trace has the numbers of x86-64, whatever the processor.
std::string system_call_name(std::int32_t number) {
    static constexpr std::pair<std::int32_t, const char*> names[] = {
        {0, "read"},         {1, "write"},        {2, "open"},
        {3, "close"},        {7, "poll"},         {9, "mmap"},
        {11, "munmap"},      {17, "pread"},       {18, "pwrite"},
        {19, "readv"},       {20, "writev"},      {23, "select"},
        {28, "madvise"},     {35, "nanosleep"},   {42, "connect"},
        {44, "send"},        {45, "recv"},        {46, "sendmsg"},
        {47, "recvmsg"},     {61, "wait"},        {72, "fcntl"},
        {73, "flock"},       {74, "fsync"},       {75, "fdatasync"},
        {77, "ftruncate"},   {202, "futex"},      {230, "clock_nanosleep"},
        {232, "epoll_wait"}, {257, "open"},       {270, "select"},
        {271, "poll"},       {281, "epoll_wait"}, {288, "accept"}};
    const auto* const found = std::ranges::find(names, number, &std::pair<std::int32_t, const char*>::first);
    return found != std::end(names) ? found->second : fmt::format("system call {}", number);
}

std::vector<SampledFunction> sampled_functions(Report& report) {
    struct Counted {
        SampledFunction function;
        std::map<std::string, std::uint64_t> places;
    };
    std::map<std::string, Counted> by_name;
    const auto count = [&](const SampledPlace& what, std::uint64_t samples) {
        Counted& counted =
            by_name[what.place == Place{} ? "(no function of the program)" : function_name(what.place, report.lines)];
        (sampled::is_on_core(what.call) ? counted.function.on_core : counted.function.blocked) += samples;
        counted.places[what.place == Place{} ? "" : report.lines.caller_text(what.place)] += samples;
    };
    for (const RankProfile& rank : report.profile.ranks)
        for (const SampledThread& thread : rank.samples.threads)
            for (const auto& [place, samples] : thread.counts) count(rank.samples.places[place], samples);
    std::vector<SampledFunction> found;
    for (auto& [name, counted] : by_name) {
        counted.function.name = name;
        counted.function.place =
            std::ranges::max_element(counted.places, {}, [](const auto& at) { return at.second; })->first;
        found.push_back(std::move(counted.function));
    }
    std::ranges::stable_sort(found, std::greater{}, [](const auto& f) { return f.on_core + f.blocked; });
    return found;
}

void print_sampled_functions(Report& report) {
    const std::vector<SampledFunction> found = sampled_functions(report);
    if (found.empty()) return;
    std::uint64_t on_core = 0;
    std::uint64_t blocked = 0;
    for (const SampledFunction& function : found) {
        on_core += function.on_core;
        blocked += function.blocked;
    }
    Table table{{{"function of the program", Table::Align::left},
                 {"% on a core"},
                 {"between"},
                 {"samples"},
                 {"% blocked"},
                 {"samples"},
                 {"most at", Table::Align::left}}};
    for (std::size_t i = 0; i < found.size() && i < most_functions_shown; ++i) {
        const SampledFunction& function = found[i];
        const double share = share_of(static_cast<double>(function.on_core), static_cast<double>(on_core));
        const ShareInterval interval = share_interval(share, static_cast<double>(on_core));
        const double asleep = share_of(static_cast<double>(function.blocked), static_cast<double>(blocked));
        table.row({printable(function.name), on_core > 0 ? fmt::format("{:.1f}", 100 * share) : "",
                   on_core > 0 ? fmt::format("{:.1f} to {:.1f}", 100 * interval.low, 100 * interval.high) : "",
                   count_text(function.on_core), blocked > 0 ? fmt::format("{:.1f}", 100 * asleep) : "",
                   count_text(function.blocked), printable(function.place)});
    }
    fmt::print("\nFunctions of the program, by samples outside of MPI (of all ranks and threads)\n{}", table.text());
    if (found.size() > most_functions_shown)
        fmt::print("  and {} more (--json has all)\n", found.size() - most_functions_shown);
}

namespace {

// The callers of calls from the innermost on, those of the program: "solve (scf.f90:310), step, main".
std::string callers_text(const ShownPath& path, SourceLines& lines) {
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t shown = 0;
    for (const Place& caller : path.callers) {
        if (caller.module.empty() || is_of_system(caller)) continue;
        if (shown == most) return text + ", ...";
        const SourceLine& line = lines.find(caller);
        const std::string at = printable(lines.caller_text(caller));
        if (shown++ > 0) text += ", ";
        text += line.function.empty() ? at : printable(line.function);
        if (line.known() && shown == 1) text += fmt::format(" ({})", at);
    }
    if (path.complete) return text;
    return text.empty() ? "..." : text + ", ...";
}

} // namespace

void print_call_paths(Report& report) {
    constexpr std::size_t most = 20;
    const std::vector<ShownPath> paths = report.callers.paths();
    double all_s = 0;
    for (const ShownPath& path : paths) all_s += path.inside.seconds;
    Table table{{{"call place", Table::Align::left},
                 {"in", Table::Align::left},
                 {"% of sampled"},
                 {"samples"},
                 {"called by", Table::Align::left}}};
    for (std::size_t i = 0; i < paths.size() && i < most; ++i) {
        const ShownPath& path = paths[i];
        table.row({printable(report.lines.text(path.place)), printable(report.lines.find(path.place).function),
                   fmt::format("{:.2f}", 100 * share_of(path.inside.seconds, all_s)), count_text(path.inside.samples),
                   callers_text(path, report.lines)});
    }
    if (table.empty()) return;
    fmt::print("\nCall paths (of the time that samples of calls stand for)\n{}", table.text());
    if (paths.size() > most) fmt::print("  and {} more (--json has all)\n", paths.size() - most);
}

} // namespace tactus
