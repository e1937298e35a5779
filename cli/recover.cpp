// `tactus recover`: repairs a trace whose ranks died, and names the lanes that dead jobs left behind.
#include "postproc/recover/recover.hpp"

#include "base/shell_word.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/format.hpp"
#include "cli/messages.hpp"
#include "postproc/recover/lane_folders.hpp"
#include "trace/shapes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tactus {
namespace {

constexpr std::size_t most_rank_lines = 32;

std::string open_text(const std::vector<Record>& open) {
    std::map<std::string, std::size_t> calls;
    for (const Record& call : open) ++calls[name_of(call.what.function)];
    std::string text;
    for (const auto& [name, count] : calls) {
        text += text.empty() ? "; was in " : ", ";
        text += count == 1 ? name : fmt::format("{} ({} times)", name, count);
    }
    return text;
}

std::string rank_line(const RankRecovery& rank) {
    std::string text = fmt::format("rank {}: ", rank.rank);
    if (rank.was_whole) return text + "closed in order";
    if (!rank.is_whole) return text + "not recovered";
    text +=
        fmt::format("{} brought in from {}", plural(rank.calls, "call", "calls"), plural(rank.lanes, "lane", "lanes"));
    text += open_text(rank.open);
    if (rank.cut_bytes > 0) text += fmt::format("; {} of half a block cut off", bytes_text(rank.cut_bytes));
    if (rank.missing > 0)
        text += fmt::format("; {} missing", plural(rank.missing, "block or lane is", "blocks or lanes are"));
    return text;
}

void print_ranks(const std::vector<RankRecovery>& ranks) {
    std::size_t printed = 0;
    std::size_t left = 0;
    for (const RankRecovery& rank : ranks) {
        if (rank.was_whole) continue;
        if (printed++ < most_rank_lines)
            fmt::print("{}\n", rank_line(rank));
        else
            ++left;
    }
    if (left > 0) fmt::print("and {} more\n", plural(left, "rank", "ranks"));
}

int print_folders(const std::vector<LaneFolder>& folders) {
    if (folders.empty()) fmt::print("no lane of any job lies in the places searched\n");
    for (const LaneFolder& folder : folders) {
        fmt::print("{}: {} of {}, job {}, {}\n", printable(folder.path), plural(folder.lanes, "lane", "lanes"),
                   plural(folder.ranks, "rank", "ranks"), folder.job, bytes_text(folder.bytes));
        if (folder.alive)
            fmt::print("  its processes run\n");
        else if (folder.trace.empty())
            fmt::print("  its processes are dead and it has no trace: it may be removed\n");
        else if (folder.trace_exists)
            fmt::print("  its processes are dead: tactus recover {}\n", shell_word(folder.trace));
        else
            fmt::print(
                "  its processes are dead and its trace {} cannot be seen; if it was moved: tactus recover NEWPATH\n",
                printable(folder.trace));
    }
    return exit_code::fine;
}

} // namespace

int recover(const RecoverRequest& request) {
    if (request.list) return print_folders(find_lane_folders(request.paths));
    const auto recovery = recover_trace(request.paths.front(), {.other_hosts = request.other_hosts});
    if (!recovery) return fail(recovery.error());
    const bool nothing = std::all_of(recovery->ranks.begin(), recovery->ranks.end(),
                                     [](const RankRecovery& rank) { return rank.was_whole; });
    const std::string name = printable(request.paths.front());
    std::vector<Error> problems = recovery->problems;
    const bool complete = recovery->whole && recovery->missing == 0;
    for (const RankRecovery& rank : recovery->ranks)
        problems.insert(problems.end(), rank.problems.begin(), rank.problems.end());
    if (nothing && recovery->whole) {
        fmt::print("{}: every rank's file is closed, there is nothing to recover\n", name);
        if (recovery->missing > 0)
            fmt::print("{} missing since an earlier recovery\n",
                       plural(recovery->missing, "block or lane is", "blocks or lanes are"));
        const int told = tell(problems);
        return complete ? told : exit_code::fault;
    }
    print_ranks(recovery->ranks);
    if (recovery->whole)
        fmt::print("{}: {} closed in order\n", name, plural(recovery->ranks.size(), "rank is", "ranks are"));
    if (!recovery->kept.empty()) fmt::print("what was changed is kept in {}\n", printable(recovery->kept));
    const int told = tell(problems);
    return complete ? told : exit_code::fault;
}

} // namespace tactus
