#include "tests/unit/postproc/replay/paired.hpp"

#include "tests/unit/made/catch.hpp"
#include "trace/words.hpp"

#include <algorithm>

namespace tactus {

namespace {

std::string text_of(const MessageEnd& end) {
    const std::string lane = end.lane == 0 ? "" : "." + std::to_string(end.lane);
    return std::to_string(end.rank) + lane + "@" + std::to_string(end.tick - made_start);
}

} // namespace

std::uint64_t Paired::left_out(Unmatched reason) const { return counts.unmatched[static_cast<std::size_t>(reason)]; }

Paired paired(const Trace& trace) {
    std::vector<std::pair<Ticks, std::string>> by_receive;
    Paired result;
    result.counts = for_each_message(trace, [&](const Message& message) {
        by_receive.emplace_back(message.received.tick, text_of(message.sent) + " > " + text_of(message.received) + " " +
                                                           std::to_string(message.bytes));
    });
    std::sort(by_receive.begin(), by_receive.end());
    for (const auto& [tick, line] : by_receive) result.lines.push_back(line);
    CHECK(result.counts.matched == result.lines.size());
    return result;
}

Paired paired(const std::vector<MadeRank>& ranks) {
    const TestFolder folder;
    return paired(opened(folder, ranks));
}

Trace opened(const TestFolder& folder, const std::vector<MadeRank>& ranks) {
    write_trace(folder.path() / "app.tactus", ranks);
    auto trace = Trace::open((folder.path() / "app.tactus").string());
    if (!trace) throw std::runtime_error{trace.error().line()};
    return std::move(*trace);
}

std::vector<MadeRank> ranks_with(const std::vector<std::vector<MadeRecord>>& records) {
    auto ranks = made_ranks(static_cast<std::uint32_t>(records.size()));
    for (std::size_t i = 0; i < records.size(); ++i) ranks[i].lanes = {{.records = records[i]}};
    return ranks;
}

MadeRecord send(Ticks enter, std::int32_t to, std::int32_t tag, std::uint64_t bytes, std::uint32_t comm) {
    MadeRecord made = made_message(Function::Send, enter, enter + call_length, to, tag, bytes);
    made.record.what.comm = comm;
    return made;
}

MadeRecord receive(Ticks enter, std::int32_t from, std::int32_t tag, std::uint64_t bytes, std::uint32_t comm) {
    MadeRecord made = send(enter, from, tag, bytes, comm);
    made.record.what.function = Function::Recv;
    return made;
}

MadeRecord begins(Function function, Ticks enter, std::uint64_t request, std::int32_t peer, std::int32_t tag,
                  std::uint64_t bytes) {
    MadeRecord made = made_message(function, enter, enter + call_length, peer, tag, bytes);
    made.record.request = request;
    made.record.what.flags = flag::starts;
    return made;
}

MadeRecord completes(Function function, Ticks enter, std::uint64_t request, std::int32_t source, std::int32_t tag,
                     std::uint64_t bytes) {
    MadeRecord made = begins(function, enter, request, source, tag, bytes);
    made.record.what.comm = 0;
    made.record.what.flags = flag::completes;
    return made;
}

MadeRecord completes(Function function, Ticks enter, const std::vector<Completion>& list) {
    MadeRecord made = made_call(function, enter, enter + call_length);
    for (const Completion& completion : list) {
        std::int64_t words[Completion::most_words];
        made.words.insert(made.words.end(), words, words + completion.put(words));
    }
    return made;
}

MadeRecord starts(Function function, Ticks enter, const std::vector<Started>& list) {
    MadeRecord made = made_call(function, enter, enter + call_length);
    for (const Started& started : list) {
        std::int64_t words[Started::words];
        started.put(words);
        made.words.insert(made.words.end(), words, words + Started::words);
    }
    return made;
}

MadeRecord not_recorded(Ticks enter, const NotRecorded& channel) {
    MadeRecord made = made_call(Function{}, enter, enter + call_length);
    made.record.what.kind = Kind::loss;
    made.record.what.type = static_cast<std::uint32_t>(Loss::switched_off);
    made.words.resize(NotRecorded::words);
    channel.put(made.words.data());
    return made;
}

} // namespace tactus
