// The report as text: a head, and then tables with the most time first. What is missing from the trace always comes
// last.
#include "cli/report/finding.hpp"
#include "cli/report/finish_text.hpp"
#include "cli/report/report.hpp"
#include "cli/report/waits_text.hpp"

#include "base/grammar.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/counts_text.hpp"
#include "cli/report/missing_text.hpp"
#include "cli/report/nccl_text.hpp"
#include "cli/report/report_tables.hpp"
#include "cli/report/samples_text.hpp"
#include "cli/report/time_parts.hpp"
#include "cli/table.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tactus {
namespace {

using Align = Table::Align;

constexpr std::size_t most_functions = 40;
constexpr std::size_t most_places = 30;
constexpr std::size_t most_ranks = 32;
constexpr std::size_t most_matrix_ranks = 32;
constexpr std::size_t most_pairs = 20;
constexpr std::size_t most_regions = 40;

std::string seconds_text(double seconds) { return fmt::format("{:.6f}", seconds); }

// Times of calls are all in microseconds, so that they can be compared by eye.
std::string us(double seconds) { return fmt::format("{:.2f}", seconds * 1e6); }

// The least, mean or largest time of a call or region. `count` is 0 if none of them ended inside of the window.
std::string us_of(std::uint64_t count, double seconds) { return count == 0 ? "-" : us(seconds); }

// Wrapped to the terminal.
void print_sentence(const std::string& text) { fmt::print("{}", wrapped(text, terminal_width(STDOUT_FILENO))); }

void print_head(Report& report) {
    const Profile& profile = report.profile;
    const Header& header = report.trace.ranks.front().header();
    fmt::print("{}: {}, wall time {}", printable(file_name(header.program)), plural(header.ranks, "rank", "ranks"),
               duration_text(profile.wall_s));
    if (report.has_mpi())
        fmt::print(", {} in MPI, {}", percent_text(profile.mpi_share()), plural(profile.all.calls, "call", "calls"));
    fmt::print("\n");
    fmt::print("{}, {}\n", header.mpi.empty() ? "no MPI" : printable(header.mpi), printable(report.trace.path));
    if (report.window)
        fmt::print("only what lies between {:.9g} s and {:.9g} s: {} of the run's {}\n", report.window->from_s,
                   report.window->to_s, duration_text(report.window->inside_s), duration_text(report.window->run_s));
    if (report.as_finished) print_sentence("clock: " + clock_text(report.trace));
    if (report.nccl) fmt::print("NCCL: {}\n", nccl_line(*report.nccl));
    if (!report.waits || !report.has_mpi()) return;
    print_sentence("time: " + time_text(time_parts(report)));
    if (const std::string efficiency = efficiency_text(*report.waits); !efficiency.empty())
        print_sentence("efficiency " + efficiency);
    const std::string finding = finding_text(report);
    const std::string loss = largest_loss_text(*report.waits, report.profile, report.callers);
    print_sentence("finding: " + finding);
    if (const std::string cores = cores_text(report.cores); !cores.empty() && cores != finding)
        print_sentence("cores: " + cores);
    if (const std::string memory = memory_text(report); !memory.empty()) print_sentence("memory: " + memory);
    if (const std::string locks = lock_text(report); !locks.empty() && locks != finding)
        print_sentence("threads: " + locks);
    if (loss != finding && has_loss(*report.waits)) print_sentence("largest wait: " + loss);
    if (const std::string root = largest_root_text(*report.waits, report.callers); !root.empty())
        print_sentence("cause: " + root);
    if (const std::string missing = missing_text(report); !missing.empty()) print_sentence("not known: " + missing);
}

void print_functions(const Report& report) {
    const Profile& profile = report.profile;
    Table table{{{"function", Align::left},
                 {"calls"},
                 {"time s"},
                 {"% of total"},
                 {"min us"},
                 {"avg us"},
                 {"max us"},
                 {"sent"},
                 {"received"},
                 {"failed"}}};
    for (std::size_t i = 0; i < profile.functions.size() && i < most_functions; ++i) {
        const FunctionProfile& f = profile.functions[i];
        table.row({f.name, count_text(f.stats.calls), fmt::format("{:.6f}", f.stats.time_s),
                   fmt::format("{:.2f}", 100 * share_of(f.stats.time_s, profile.total_s)),
                   us_of(f.stats.calls, f.stats.min_s), us_of(f.stats.calls, f.stats.avg_s()),
                   us_of(f.stats.calls, f.stats.max_s), bytes_text(f.stats.sent_bytes),
                   bytes_text(f.stats.received_bytes), f.stats.failed == 0 ? "" : count_text(f.stats.failed)});
    }
    print_table("Functions (total: the time of all ranks and threads)", table,
                left_out(profile.functions.size(), most_functions, "functions"));
}

void print_places(Report& report) {
    const Profile& profile = report.profile;
    Table table{{{"call place", Align::left},
                 {"function", Align::left},
                 {"calls"},
                 {"time s"},
                 {"% of total"},
                 {"avg us"},
                 {"in", Align::left}}};
    for (std::size_t i = 0; i < profile.places.size() && i < most_places; ++i) {
        const PlaceProfile& p = profile.places[i];
        const SourceLine& line = report.lines.find(p.place);
        table.row({printable(report.lines.text(p.place)), p.name, count_text(p.stats.calls),
                   fmt::format("{:.6f}", p.stats.time_s),
                   fmt::format("{:.2f}", 100 * share_of(p.stats.time_s, profile.total_s)),
                   us_of(p.stats.calls, p.stats.avg_s()), line.known() ? printable(line.function) : ""});
    }
    print_table("Call places", table, left_out(profile.places.size(), most_places, "places"));
}

std::string balance_text(const char* what, const Balance& balance) {
    return fmt::format("{}: mean {}, most {} (rank {}), mean/most {:.2f}", what, duration_text(balance.mean_s),
                       duration_text(balance.max_s), balance.max_rank, balance.ratio());
}

void print_ranks(const Report& report) {
    const Profile& profile = report.profile;
    std::vector<const RankProfile*> shown;
    for (const RankProfile& rank : profile.ranks) shown.push_back(&rank);
    // If there are many ranks, only those with the most and with the least time in MPI are shown.
    if (shown.size() > most_ranks) {
        std::stable_sort(shown.begin(), shown.end(),
                         [](const auto* a, const auto* b) { return a->mpi.time_s > b->mpi.time_s; });
        shown.erase(shown.begin() + most_ranks / 2, shown.end() - most_ranks / 2);
    }
    Table table{{{"rank"},
                 {"host", Align::left},
                 {"threads"},
                 {"wall time"},
                 {"in MPI"},
                 {"MPI share"},
                 {"calls"},
                 {"sent"},
                 {"received"}}};
    for (const RankProfile* rank : shown)
        table.row({std::to_string(rank->rank), printable(rank->host), count_text(rank->lanes),
                   duration_text(rank->wall_s), duration_text(rank->mpi.time_s), percent_text(rank->mpi_share()),
                   count_text(rank->mpi.calls), bytes_text(rank->mpi.sent_bytes),
                   bytes_text(rank->mpi.received_bytes)});
    print_table(profile.ranks.size() > most_ranks ? "Ranks (most and least time in MPI)" : "Ranks", table);
    fmt::print("  {}\n  {}\n", balance_text("in MPI", profile.mpi), balance_text("outside MPI", profile.other));
}

void print_matrix(const Profile& profile) {
    std::vector<Table::Column> columns = {{"from \\ to", Align::right}};
    for (const RankProfile& rank : profile.ranks) columns.push_back({std::to_string(rank.rank)});
    Table messages{columns};
    Table bytes{columns};
    for (const RankProfile& from : profile.ranks) {
        std::vector<std::string> counts(columns.size());
        std::vector<std::string> sizes(columns.size());
        counts[0] = sizes[0] = std::to_string(from.rank);
        for (const Traffic& pair : profile.messages)
            for (std::size_t c = 0; pair.from == from.rank && c < profile.ranks.size(); ++c)
                if (profile.ranks[c].rank == pair.to) {
                    counts[c + 1] = count_text(pair.messages);
                    sizes[c + 1] = bytes_text(pair.bytes);
                }
        messages.row(std::move(counts));
        bytes.row(std::move(sizes));
    }
    print_table("Messages", messages);
    print_table("Bytes in messages", bytes);
}

void print_heaviest_pairs(const Profile& profile) {
    std::vector<Traffic> pairs = profile.messages;
    std::stable_sort(pairs.begin(), pairs.end(), [](const Traffic& a, const Traffic& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.messages > b.messages;
    });
    Table table{{{"from"}, {"to"}, {"messages"}, {"bytes"}}};
    for (std::size_t i = 0; i < pairs.size() && i < most_pairs; ++i)
        table.row({std::to_string(pairs[i].from), std::to_string(pairs[i].to), count_text(pairs[i].messages),
                   bytes_text(pairs[i].bytes)});
    print_table("Messages (heaviest pairs of ranks)", table, left_out(pairs.size(), most_pairs, "pairs"));
}

void print_messages(const Report& report) {
    const Profile& profile = report.profile;
    if (profile.messages.empty())
        fmt::print("\nMessages\n  none between ranks\n");
    else if (profile.ranks.size() <= most_matrix_ranks)
        print_matrix(profile);
    else
        print_heaviest_pairs(profile);
    if (profile.unplaced > 0)
        fmt::print(
            "  {} more to processes outside MPI_COMM_WORLD, or through communicators the trace does not define\n",
            count_text(profile.unplaced));
}

void print_collectives(const Report& report) {
    Table table{{{"collective", Align::left},
                 {"calls"},
                 {"time s"},
                 {"avg us"},
                 {"sent"},
                 {"received"},
                 {"mean/most"},
                 {"most time on", Align::left},
                 {"waited s"}}};
    for (const CollectiveProfile& c : report.profile.collectives)
        table.row({c.name, count_text(c.stats.calls), fmt::format("{:.6f}", c.stats.time_s),
                   us_of(c.stats.calls, c.stats.avg_s()), bytes_text(c.stats.sent_bytes),
                   bytes_text(c.stats.received_bytes), fmt::format("{:.2f}", c.time.ratio()),
                   fmt::format("rank {}", c.time.max_rank),
                   report.waits ? seconds_text(waited_in(*report.waits, c.function)) : "-"});
    if (table.empty())
        fmt::print("\nCollectives\n  none\n");
    else
        print_table("Collectives", table);
}

void print_regions(const Report& report) {
    const Profile& profile = report.profile;
    Table table{{{"region", Align::left},
                 {"count"},
                 {"time s"},
                 {"own s"},
                 {"in MPI s"},
                 {"% of total"},
                 {"min us"},
                 {"avg us"},
                 {"max us"},
                 {"", Align::left}}};
    for (std::size_t i = 0; i < profile.regions.size() && i < most_regions; ++i) {
        const RegionProfile& r = profile.regions[i];
        const std::string note = r.unfinished == 0 ? "" : fmt::format("{} unfinished", r.unfinished);
        table.row({printable(r.name), count_text(r.count), fmt::format("{:.6f}", r.time_s),
                   r.scope ? "-" : fmt::format("{:.6f}", r.own_s), r.scope ? "-" : fmt::format("{:.6f}", r.mpi_s),
                   fmt::format("{:.2f}", 100 * share_of(r.time_s, profile.total_s)), us_of(r.count, r.min_s),
                   us_of(r.count, r.avg_s()), us_of(r.count, r.max_s), note});
    }
    if (!table.empty())
        print_table("Regions (own: without regions and MPI calls inside)", table,
                    left_out(profile.regions.size(), most_regions, "regions"));
}

void print_counters(const Profile& profile) {
    Table table{{{"counter", Align::left}, {"values"}, {"min"}, {"mean"}, {"max"}, {"unit", Align::left}}};
    for (const CounterProfile& c : profile.counters)
        table.row({printable(c.name), count_text(c.values), fmt::format("{:g}", c.min), fmt::format("{:g}", c.mean()),
                   fmt::format("{:g}", c.max), printable(c.unit)});
    if (!table.empty()) print_table("Counters", table);
}

std::string receives_text(const Trace& trace) {
    const ReceivesByBasis by = receives_by_basis(trace);
    return fmt::format("{} and collective calls by clocks that agree, {} by how long they waited, {} not at all",
                       plural(by[0], "receive", "receives"), count_text(by[1]), count_text(by[2]));
}

bool asked_for_headers(const RankFile& file) {
    const std::vector<OptionValue>& options = file.header().options;
    return std::any_of(options.begin(), options.end(), [](const OptionValue& option) {
        // All values but `off` are ways in which headers travel.
        const Result<bool> named = parse_bool(option.value);
        return option.name == "PIGGYBACK" && (!named || *named);
    });
}

// Returns the reason why no message has a header although some rank asked for headers; all ranks agreed on it. Returns
// nullptr if there is none, or if it is not known.
const char* why_nothing_is_carried(const Trace& trace) {
    if (std::none_of(trace.ranks.begin(), trace.ranks.end(), asked_for_headers)) return nullptr;
    for (const RankFile& file : trace.ranks)
        for (const CallCosts& costs : file.definitions().costs) {
            const auto reason = static_cast<std::size_t>(costs.reason);
            return costs.carries || reason >= nothing_carried_names.size() ? nullptr : nothing_carried_names[reason];
        }
    return nullptr;
}

void print_compensated(const Report& report) {
    if (!report.compensated) return;
    const CompensatedRun& run = *report.compensated;
    Table ranks{{{"rank"}, {"wall time s"}, {"untraced s"}, {"in MPI s"}, {"untraced s"}}};
    ranks.row({"all", seconds_text(run.wall.measured_s), seconds_text(run.wall.compensated_s),
               seconds_text(run.mpi.measured_s), seconds_text(run.mpi.compensated_s)});
    for (std::size_t i = 0; i < run.ranks.size() && i < most_ranks; ++i) {
        const CompensatedRank& rank = run.ranks[i];
        ranks.row({std::to_string(rank.rank), seconds_text(rank.wall.measured_s), seconds_text(rank.wall.compensated_s),
                   seconds_text(rank.mpi.measured_s), seconds_text(rank.mpi.compensated_s)});
    }
    print_table("Without the tracer (computed; all: the longest wall time, the sum of times in MPI)", ranks,
                left_out(run.ranks.size(), most_ranks, "ranks"));
    constexpr std::size_t most_compensated = 10;
    Table functions{{{"function", Align::left}, {"time s"}, {"untraced s"}}};
    for (std::size_t i = 0; i < run.functions.size() && i < most_compensated; ++i) {
        const CompensatedFunction& f = run.functions[i];
        functions.row({name_of(f.function), seconds_text(f.time.measured_s), seconds_text(f.time.compensated_s)});
    }
    fmt::print("{}", functions.text());
    fmt::print("  delays came with {} and {}; {} whose other side is not known\n",
               plural(run.counts.messages, "message", "messages"),
               plural(run.counts.collectives, "collective call", "collective calls"),
               count_text(run.unknown + run.unmatched));
    if (run.clamped > 0)
        fmt::print(
            "  at {} of {} places the tracer's cost was larger than the time measured there, {} too much in all: none "
            "was left\n",
            count_text(run.clamped), count_text(run.spans), duration_text(run.clamped_s));
    if (report.noted)
        fmt::print("  by what the threads noted while the program ran: wall time {} s ({})\n",
                   seconds_text(report.noted->wall.compensated_s), receives_text(report.trace));
    if (const char* const reason = why_nothing_is_carried(report.trace); reason != nullptr)
        fmt::print("  nothing was noted while the program ran, for its messages carry nothing: {}\n", reason);
}

// Marks the title of a section that is about the whole run even in a report of a window.
std::string whole_run(const Report& report, const char* title) {
    return report.window ? fmt::format("{} (of the whole run)", title) : title;
}

void print_clock(const Report& report) {
    const ClockQuality* const quality = clock_quality(report.trace);
    fmt::print("\n{}\n{}", whole_run(report, "Clock"),
               quality != nullptr ? quality_text(*quality) : "  as it was measured; `tactus finish` corrects it\n");
}

void print_end(const Report& report) {
    fmt::print("\n{}\n", whole_run(report, "Losses"));
    bool any = false;
    for (const LossCount& loss : report.losses) {
        if (loss.count == 0) continue;
        any = true;
        fmt::print("  {} {}: {}\n", count_text(loss.count), loss.name, loss.meaning);
    }
    if (!any) fmt::print("  none\n");
    if (const std::string spawned = spawned_text(report); !spawned.empty()) fmt::print("\nSpawned\n  {}\n", spawned);
    const std::vector<std::string> problems = report.problems();
    if (!problems.empty()) fmt::print("\nProblems\n");
    for (const std::string& problem : problems) fmt::print("  {}\n", problem);
    if (!report.lines.untrusted().empty()) fmt::print("\nNo source lines\n");
    for (const std::string& file : report.lines.untrusted()) fmt::print("  {}\n", printable(file));
}

} // namespace

void print_report_text(Report& report) {
    print_head(report);
    const bool has_mpi = report.has_mpi();
    if (has_mpi && !report.window) print_waits(report);
    if (has_mpi) {
        print_functions(report);
        print_places(report);
        print_call_paths(report);
        print_sampled_functions(report);
        print_counts(report);
        print_ranks(report);
        print_messages(report);
        print_collectives(report);
    }
    if (report.nccl) print_nccl(*report.nccl);
    print_regions(report);
    print_counters(report.profile);
    if (has_mpi) print_compensated(report);
    print_clock(report);
    print_end(report);
}

} // namespace tactus
