#include "cli/report/counts_text.hpp"

#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "cli/report/report_tables.hpp"
#include "cli/table.hpp"
#include "trace/processor_counters.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace tactus {
namespace {

constexpr std::size_t most_ranks_shown = 32;
constexpr double longer = 1.2;          // computation that takes so many times as long has a cause worth naming
constexpr double least_of_peers = 0.05; // of that time, to compare with
constexpr double most_in_kernel = 0.2;  // of the time on a core
constexpr double least_misses = 1;      // in 1000 instructions

std::string misses_text(double misses) { return misses < 0 ? "-" : fmt::format("{:.1f}", misses); }

// The rank whose time is the median, to compare the others with.
const RankProfile* median_rank(const std::vector<RankProfile>& ranks) {
    std::vector<const RankProfile*> known;
    for (const RankProfile& rank : ranks)
        if (rank.use.outside.counted()) known.push_back(&rank);
    if (known.size() < 2) return nullptr;
    const auto middle = known.begin() + static_cast<std::ptrdiff_t>((known.size() - 1) / 2);
    std::ranges::nth_element(known, middle, {}, [](const auto* rank) { return rank->use.outside.counts.user_s; });
    return *middle;
}

} // namespace

std::string counts_text(const WaitRoot& root) {
    const ProcessorCounts& own = root.did.counts;
    const ProcessorCounts& peers = root.peers_did.counts;
    if (!root.did.counted() || !root.peers_did.counted() || peers.user_s < least_of_peers * own.user_s) return {};
    const ComputationScaling more = scaling_of(own, peers);
    const double most = std::max({more.instructions, more.ipc, more.frequency});
    if (more.computation < longer || most * most < more.computation) return {}; // it must explain half of it, or more
    if (most == more.instructions) return fmt::format(", with {:.1f} times the instructions of those who wait", most);
    if (most == more.frequency) {
        if (root.did.system_s > most_in_kernel * root.did.ran_s) return {}; // that time is counted by ticks
        return fmt::format(", at {:.2f} GHz (those who wait: {:.2f})", 1e-9 * own.hertz(), 1e-9 * peers.hertz());
    }
    std::string text = fmt::format(", at {:.2f} instructions a cycle (those who wait: {:.2f})", own.ipc(), peers.ipc());
    const double misses = own.misses_per_1000();
    if (peers.missed_of > 0 && misses >= least_misses && misses > longer * peers.misses_per_1000())
        text += fmt::format(" and {} cache misses in 1000 instructions (those who wait: {})", misses_text(misses),
                            misses_text(peers.misses_per_1000()));
    return text;
}

std::string no_counts_text(const Trace& trace) {
    std::size_t asked = 0; // of both, on some rank
    for (const RankFile& file : trace.ranks) {
        std::size_t own = 0;
        for (const ProcessorCounter& counter : processor_counters(file.definitions())) {
            if (counter.name != "cycles" && counter.name != "instructions") continue;
            if (counter.refused != 0)
                return fmt::format("{} cannot be counted on {}: {}", printable(counter.name),
                                   printable(file.header().host), error_text(counter.refused));
            ++own;
        }
        asked = std::max(asked, own);
    }
    if (asked < 2) return "VT_COUNTER did not ask for cycles and instructions";
    return "less than 80 % of the time of each rank was counted";
}

void print_counts(const Report& report) {
    Table table{{{"rank"},
                 {"computed s"},
                 {"instructions"},
                 {"a cycle"},
                 {"GHz"},
                 {"cache misses in 1000"},
                 {"time x"},
                 {"instructions x"},
                 {"IPC x"},
                 {"frequency x"}}};
    const RankProfile* const median = median_rank(report.profile.ranks);
    std::size_t known = 0;
    for (const RankProfile& rank : report.profile.ranks) {
        const ProcessorCounts& counts = rank.use.outside.counts;
        if (!rank.use.outside.counted() || ++known > most_ranks_shown) continue;
        std::vector<std::string> row{std::to_string(rank.rank),
                                     fmt::format("{:.6f}", counts.user_s),
                                     fmt::format("{:.4g}", counts.instructions),
                                     fmt::format("{:.2f}", counts.ipc()),
                                     fmt::format("{:.2f}", 1e-9 * counts.hertz()),
                                     misses_text(counts.misses_per_1000())};
        if (median != nullptr) {
            const ComputationScaling more = scaling_of(counts, median->use.outside.counts);
            for (const double factor : {more.computation, more.instructions, more.ipc, more.frequency})
                row.push_back(fmt::format("{:.2f}", factor));
        }
        row.resize(10);
        table.row(row);
    }
    if (table.empty()) {
        fmt::print("\nCounters of the processor\n  none ({}): what computation is bound by is not known\n",
                   no_counts_text(report.trace));
        return;
    }
    const std::string against =
        median == nullptr ? "" : fmt::format("; x: how many times as long as rank {} by that", median->rank);
    print_table(fmt::format("Counters of the processor outside MPI and the kernel{}", against).c_str(), table,
                left_out(known, most_ranks_shown, "ranks"));
    if (const std::size_t unknown = report.profile.ranks.size() - known; unknown > 0)
        fmt::print("  of {} it is not known, or of less than 80 % of their time\n", plural(unknown, "rank", "ranks"));
    std::uint64_t counted = 1000;
    for (const RankFile& file : report.trace.ranks)
        for (const ProcessorCounter& counter : processor_counters(file.definitions()))
            if (counter.refused == 0) counted = std::min(counted, counter.counted);
    if (counted < 1000)
        fmt::print("  the processor counted {} of the time; others had its counters in the rest, which is estimated\n",
                   percent_text(static_cast<double>(counted) / 1000));
}

nlohmann::ordered_json counts_json(const ProcessorCounts& counts) {
    using Object = nlohmann::ordered_json;
    if (!counts.known()) return nullptr;
    return {{"user_s", counts.user_s},
            {"cycles", counts.cycles},
            {"instructions", counts.instructions},
            {"instructions_per_cycle", counts.ipc()},
            {"hertz", counts.hertz()},
            {"cache_misses_per_1000_instructions",
             counts.missed_of > 0 ? Object(counts.misses_per_1000()) : Object(nullptr)}};
}

} // namespace tactus
