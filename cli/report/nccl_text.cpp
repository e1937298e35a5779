#include "cli/report/nccl_text.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/report_tables.hpp"
#include "cli/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tactus {
namespace {

using Align = Table::Align;

constexpr std::size_t most_classes = 40;
constexpr std::size_t most_late = 32;
constexpr std::size_t most_waits = 20;
constexpr std::size_t most_kernels = 20;

std::string microseconds(double ns) { return fmt::format("{:.2f}", ns * 1e-3); }
std::string seconds(double ns) { return fmt::format("{:.6f}", ns * 1e-9); }
std::string gpu_time_text(double ns) { return std::isfinite(ns) ? duration_text(ns * 1e-9) : "not known"; }

std::string gbs(double rate) { return rate > 0 ? fmt::format("{:.3f}", rate) : "-"; }

// Returns the classes that are shown, with the most time first.
std::vector<const NcclClass*> shown_classes(const NcclSummary& nccl) {
    std::vector<const NcclClass*> shown;
    for (const NcclClass& nccl_class : nccl.classes) shown.push_back(&nccl_class);
    std::stable_sort(shown.begin(), shown.end(),
                     [](const NcclClass* a, const NcclClass* b) { return a->length.total_ns > b->length.total_ns; });
    if (shown.size() > most_classes) shown.resize(most_classes);
    return shown;
}

std::string size_text(const NcclClass& nccl_class) {
    return nccl_class.least_bytes == 0 ? "none or not said" : bytes_text(nccl_class.least_bytes);
}

void print_operations(const std::vector<const NcclClass*>& classes) {
    Table table{{{"operation", Align::left},
                 {"bytes from"},
                 {"count"},
                 {"bytes"},
                 {"time s"},
                 {"min us"},
                 {"avg us"},
                 {"max us"},
                 {"matched"},
                 {"arriving %"}}};
    for (const NcclClass* nccl_class : classes) {
        const bool timed = nccl_class->length.count > 0;
        table.row({nccl_class_text(*nccl_class), size_text(*nccl_class), count_text(nccl_class->parts),
                   bytes_text(nccl_class->bytes), seconds(nccl_class->length.total_ns),
                   timed ? microseconds(nccl_class->length.least_ns) : "-",
                   timed ? microseconds(nccl_class->length.mean_ns()) : "-",
                   timed ? microseconds(nccl_class->length.most_ns) : "-", count_text(nccl_class->operations),
                   nccl_class->arrivals > 0 ? fmt::format("{:.2f}", 100 * nccl_class->arrival_share()) : "-"});
    }
    fmt::print("\nNCCL operations (count: of all ranks; arriving: until the last rank came, of matched ones)\n{}",
               table.text());
}

void print_bandwidth(const std::vector<const NcclClass*>& classes) {
    Table table{{{"operation", Align::left},
                 {"bytes from"},
                 {"algbw GB/s"},
                 {"busbw GB/s"},
                 {"of"},
                 {"algbw with waits"},
                 {"busbw with waits"},
                 {"of"}}};
    for (const NcclClass* nccl_class : classes) {
        if (nccl_class->by_span.count == 0) continue;
        table.row({nccl_class_text(*nccl_class), size_text(*nccl_class), gbs(nccl_class->by_transfer.algorithm_gbs()),
                   gbs(nccl_class->by_transfer.bus_gbs()), count_text(nccl_class->by_transfer.count),
                   gbs(nccl_class->by_span.algorithm_gbs()), gbs(nccl_class->by_span.bus_gbs()),
                   count_text(nccl_class->by_span.count)});
    }
    if (table.empty()) return;
    fmt::print("\nNCCL bandwidth (from the last rank's arrival; with waits: each rank's whole kernel)\n{}",
               table.text());
}

std::uint64_t sum_of(const NcclSummary& nccl, std::uint64_t (*what)(const NcclClass&)) {
    std::uint64_t sum = 0;
    for (const NcclClass& nccl_class : nccl.classes) sum += what(nccl_class);
    return sum;
}

void print_known(const NcclSummary& nccl) {
    fmt::print("\nNCCL: how much is known\n  times of kernels ");
    for (std::size_t i = static_cast<std::size_t>(NcclSpan::full); i < nccl_spans.size(); ++i) {
        std::uint64_t count = 0;
        for (const NcclClass& nccl_class : nccl.classes) count += nccl_class.spans[i];
        fmt::print("{}{} {}", i == 1 ? "" : ", ", nccl_spans[i], count_text(count));
    }
    fmt::print("; {} in one kernel with others, {} that lack stamps another operation wrote over, {} by callbacks, {} "
               "that never ended\n",
               count_text(sum_of(nccl, [](const NcclClass& nccl_class) { return nccl_class.batched; })),
               count_text(sum_of(nccl, [](const NcclClass& nccl_class) { return nccl_class.overrun; })),
               count_text(sum_of(nccl, [](const NcclClass& nccl_class) { return nccl_class.host_times; })),
               count_text(sum_of(nccl, [](const NcclClass& nccl_class) { return nccl_class.cut; })));
    fmt::print(
        "  {} of {} matched across ranks, in {}, {} of them with a rank missing; {} cannot be, {} are ambiguous\n",
        count_text(nccl.matched), count_text(nccl.parts), plural(nccl.operations, "operation", "operations"),
        count_text(nccl.incomplete), count_text(nccl.alone), count_text(nccl.ambiguous));
    if (nccl.foreign.joined + nccl.foreign.unjoined > 0)
        fmt::print("  work of proxy threads for other processes: {} joined to its operation, {} not\n",
                   count_text(nccl.foreign.joined), count_text(nccl.foreign.unjoined));
    fmt::print("  {}\n", nccl_within_text(nccl));
}

void print_kernels(const NcclSummary& nccl) {
    Table table{{{"kernel", Align::left},
                 {"count"},
                 {"time s"},
                 {"min us"},
                 {"avg us"},
                 {"max us"},
                 {"joined"},
                 {"working %"}}};
    for (std::size_t i = 0; i < nccl.kernels.size() && i < most_kernels; ++i) {
        const NcclKernelClass& kernel_class = nccl.kernels[i];
        table.row({printable(kernel_class.name), count_text(kernel_class.length.count),
                   seconds(kernel_class.length.total_ns), microseconds(kernel_class.length.least_ns),
                   microseconds(kernel_class.length.mean_ns()), microseconds(kernel_class.length.most_ns),
                   count_text(kernel_class.joined),
                   kernel_class.joined > 0 ? fmt::format("{:.2f}", 100 * kernel_class.worked_share()) : "-"});
    }
    if (table.empty()) return;
    print_table("NCCL: kernels by CUPTI (joined: to operations; working: from their first channel's start to their "
                "last one's end)",
                table, left_out(nccl.kernels.size(), most_kernels));
}

void print_late(const NcclSummary& nccl) {
    Table table{{{"rank"}, {"came last"}, {"for certain"}, {"made wait s"}}};
    for (std::size_t i = 0; i < nccl.late.size() && i < most_late; ++i) {
        const NcclLate& late_rank = nccl.late[i];
        table.row({std::to_string(late_rank.rank), count_text(late_rank.last), count_text(late_rank.certain),
                   seconds(late_rank.caused_ns)});
    }
    if (table.empty()) return;
    print_table("NCCL: who came last (for certain: all others are known, and earlier than times are uncertain)", table,
                left_out(nccl.late.size(), most_late));
}

void print_waits(const NcclSummary& nccl) {
    Table table{{{"rank"}, {"in", Align::left}, {"for rank"}, {"seconds"}, {"count"}, {"longest"}, {"within"}}};
    for (std::size_t i = 0; i < nccl.waits.size() && i < most_waits; ++i) {
        const NcclWait& wait = nccl.waits[i];
        table.row({std::to_string(wait.rank), printable(wait.function), std::to_string(wait.causer), seconds(wait.ns),
                   count_text(wait.count), gpu_time_text(wait.longest_ns), gpu_time_text(wait.within_ns)});
    }
    if (table.empty()) return;
    print_table("NCCL: waits for the last rank (within: what one of them may be off by)", table,
                left_out(nccl.waits.size(), most_waits));
}

} // namespace

std::string nccl_class_text(const NcclClass& nccl_class) {
    const std::string name = printable(nccl_class.function);
    switch (nccl_class.kind) {
    case NcclKind::group:
        return name + " (group)";
    case NcclKind::copy_coll:
        return name + " (copy engines)";
    default:
        return name;
    }
}

std::string nccl_clocks_text(const std::vector<NcclClock>& clocks) {
    if (clocks.empty()) return {};
    std::size_t unknown = 0;
    std::size_t shared = 0;
    double worst = 0;
    for (const NcclClock& clock : clocks) {
        unknown += clock.bounded ? 0 : 1;
        shared += clock.bounded && clock.worst_ns == 0 ? 1 : 0;
        worst = std::max(worst, clock.worst_ns);
    }
    std::string text =
        fmt::format("  clocks by what ranks did together in NCCL: {} on the first one's, the others within {} of it\n",
                    plural(shared, "rank", "ranks"), gpu_time_text(worst));
    if (unknown > 0)
        text += fmt::format("  {} did nothing together with the first that says it: by the hosts' dates\n",
                            plural(unknown, "rank", "ranks"));
    return text;
}

std::string nccl_within_text(const NcclSummary& nccl) {
    return fmt::format(
        "times of the GPUs are right within {} on their rank, the ranks' clocks {}", gpu_time_text(nccl.gpu_within_ns),
        std::isfinite(nccl.clock_within_ns) ? "within " + gpu_time_text(nccl.clock_within_ns) : "were never compared");
}

std::string nccl_line(const NcclSummary& nccl) {
    std::uint64_t bytes = 0;
    double arrival = 0;
    double transfer = 0;
    for (const NcclClass& nccl_class : nccl.classes) {
        bytes += nccl_class.bytes;
        arrival += nccl_class.arrival_ns;
        transfer += nccl_class.transfer_ns;
    }
    std::string line = fmt::format("{}, {}", plural(nccl.parts, "operation", "operations"), bytes_text(bytes));
    if (arrival + transfer <= 0) return line;
    line += fmt::format("; {} of their time is waiting until the last rank came",
                        percent_text(arrival / (arrival + transfer)));
    if (!nccl.late.empty() && nccl.late.front().caused_ns > 0)
        line += fmt::format(", the most for rank {} ({} times)", nccl.late.front().rank, nccl.late.front().last);
    return line;
}

void print_nccl(const NcclSummary& nccl) {
    if (nccl.parts == 0) {
        fmt::print("\nNCCL operations\n  none\n");
        return;
    }
    const std::vector<const NcclClass*> classes = shown_classes(nccl);
    print_operations(classes);
    if (const std::string rest = left_out(nccl.classes.size(), classes.size()); !rest.empty())
        fmt::print("  {}\n", rest);
    print_bandwidth(classes);
    print_kernels(nccl);
    print_late(nccl);
    print_waits(nccl);
    print_known(nccl);
}

} // namespace tactus
