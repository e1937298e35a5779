// Traces of a few calls, and the pairs that their messages form.
#pragma once

#include "postproc/replay/messages.hpp"
#include "tests/unit/made/make_trace.hpp"
#include "trace/rank_file.hpp"

#include <string>
#include <vector>

namespace tactus {

using Lines = std::vector<std::string>;

struct Paired {
    Lines lines; // SENDER@TICK > RECEIVER@TICK BYTES in the order of the receives, which differ within each test
    MessageCounts counts;
    [[nodiscard]] std::uint64_t left_out(Unmatched reason) const;
};

Paired paired(const Trace& trace);
Paired paired(const std::vector<MadeRank>& ranks);

Trace opened(const TestFolder& folder, const std::vector<MadeRank>& ranks);

// Ranks with one thread each, whose records these are.
std::vector<MadeRank> ranks_with(const std::vector<std::vector<MadeRecord>>& records);

// Every call takes ten ticks, so that a test only says when it begins.
constexpr Ticks call_length = 10;

MadeRecord send(Ticks enter, std::int32_t to, std::int32_t tag, std::uint64_t bytes, std::uint32_t comm = 1);
MadeRecord receive(Ticks enter, std::int32_t from, std::int32_t tag, std::uint64_t bytes, std::uint32_t comm = 1);

// A call that begins a request, one that completes it, one that completes several, and one that starts several.
MadeRecord begins(Function function, Ticks enter, std::uint64_t request, std::int32_t peer, std::int32_t tag,
                  std::uint64_t bytes = 0);
MadeRecord completes(Function function, Ticks enter, std::uint64_t request, std::int32_t source, std::int32_t tag,
                     std::uint64_t bytes);
MadeRecord completes(Function function, Ticks enter, const std::vector<Completion>& list);
MadeRecord starts(Function function, Ticks enter, const std::vector<Started>& list);

// Says that calls were not recorded.
MadeRecord not_recorded(Ticks enter, const NotRecorded& channel);

} // namespace tactus
