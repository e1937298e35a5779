#include "postproc/view/rows.hpp"

#include "trace/defined.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace tactus {
namespace {

// Makes a row for each name that `name_of` gives to lines, in the order in which the names first come.
template <class Keys> std::vector<ViewRow> grouped(const TimeLine& time_line, const Keys& name_of) {
    std::vector<ViewRow> rows;
    std::map<std::string, std::size_t> known;
    for (std::size_t i = 0; i < time_line.lines().size(); ++i) {
        const std::string name = name_of(time_line.lines()[i]);
        const auto [row, fresh] = known.emplace(name, rows.size());
        if (fresh) rows.push_back({name, {}});
        rows[row->second].lines.push_back(i);
    }
    return rows;
}

std::string name_of(const Comm& comm, std::uint32_t rank) {
    if (!comm.name.empty()) return comm.name;
    return "communicator " + std::to_string(comm.number) + " of rank " + std::to_string(rank);
}

// What follows the rank in the name of a lane: nothing for lane 0, the number of any other thread of the application,
// or the name of a lane that is no such thread.
std::string lane_name(const RankFile& file, std::uint32_t lane) {
    const ThreadName* const named = defined(file.definitions().threads, lane);
    if (named != nullptr && named->index < 0 && !named->name.empty()) return " " + named->name;
    return lane == 0 ? "" : " thread " + std::to_string(lane);
}

std::vector<ViewRow> by_communicator(const Trace& trace, const TimeLine& time_line) {
    constexpr std::uint32_t first_made = 3; // lower numbers are MPI_COMM_WORLD and MPI_COMM_SELF
    std::vector<ViewRow> rows;
    std::map<std::uint64_t, std::size_t> known; // by identity
    for (std::size_t i = 0; i < time_line.lines().size(); ++i) {
        const RankFile& file = trace.ranks[time_line.lines()[i].rank];
        for (const Comm& comm : file.definitions().comms) {
            if (comm.number < first_made) continue;
            const auto [row, fresh] = known.emplace(comm.identity, rows.size());
            if (fresh) rows.push_back({name_of(comm, file.header().rank), {}});
            rows[row->second].lines.push_back(i);
        }
    }
    return rows;
}

bool number_in(std::string_view text, std::uint32_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

} // namespace

std::vector<ViewRow> rows_by(const Trace& trace, const TimeLine& time_line, RowsBy by) {
    const auto rank_of = [&](const Line& line) { return std::to_string(trace.ranks[line.rank].header().rank); };
    switch (by) {
    case RowsBy::threads:
        return grouped(time_line, [&](const Line& line) {
            return "rank " + rank_of(line) + lane_name(trace.ranks[line.rank], line.lane);
        });
    case RowsBy::processes:
        return grouped(time_line, [&](const Line& line) { return "rank " + rank_of(line); });
    case RowsBy::hosts:
        return grouped(time_line, [&](const Line& line) { return trace.ranks[line.rank].header().host; });
    case RowsBy::communicators:
        return by_communicator(trace, time_line);
    case RowsBy::all:
        break;
    }
    return grouped(time_line, [](const Line&) { return std::string{"all"}; });
}

Result<ViewRow> row_of_ranks(const Trace& trace, const TimeLine& time_line, const std::string& ranks) {
    const Error unclear{.what = "'" + ranks + "' is no list of ranks", .advice = "write it as 0-3,8"};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> wanted;
    for (std::size_t begin = 0; begin <= ranks.size();) {
        const std::size_t end = std::min(ranks.find(',', begin), ranks.size());
        const std::string_view item = std::string_view{ranks}.substr(begin, end - begin);
        const std::size_t dash = std::min(item.find('-'), item.size());
        std::pair<std::uint32_t, std::uint32_t> span;
        if (!number_in(item.substr(0, dash), span.first)) return unclear;
        span.second = span.first;
        if (dash < item.size() && (!number_in(item.substr(dash + 1), span.second) || span.second < span.first))
            return unclear;
        wanted.push_back(span);
        begin = end + 1;
    }
    ViewRow row{"ranks " + ranks, {}};
    for (std::size_t i = 0; i < time_line.lines().size(); ++i) {
        const std::uint32_t rank = trace.ranks[time_line.lines()[i].rank].header().rank;
        if (std::any_of(wanted.begin(), wanted.end(),
                        [&](const auto& span) { return rank >= span.first && rank <= span.second; }))
            row.lines.push_back(i);
    }
    if (row.lines.empty()) return Error{.what = "the trace has none of the ranks " + ranks};
    return row;
}

} // namespace tactus
