// Which calls are recorded: VT_traceoff, and ITAC's filters by process, name and time. What is not recorded is counted,
// per channel, in its lane.
#pragma once

#include "collector/process_state.hpp"
#include "trace/record.hpp"
#include "writer/lane.hpp"

#include <atomic>
#include <span>
#include <string_view>

namespace tactus {

// At the first call: the filters by name and time. When the rank is known: those by process.
void select_by_name();
void select_by_process(std::uint32_t rank, std::uint32_t ranks);

// Whether a thread begins with recording off; whether VT_traceon may turn recording on in this process.
bool starts_off();
bool can_trace_on();

// Symbols of VT.h ("class:name"), which have numbers: asked once, when one is defined, and for each region.
void select_symbol(std::uint32_t number, std::string_view name);
bool is_symbol_selected(std::uint32_t number);
// Whether anything is recorded now: counters and comments have no filter by name.
bool is_time_selected();

// Out of line, while `selective` only. This thread.
bool is_selected(Function function, Lane& lane);
// What VT_TEST_OVERHEAD asks for. As above.
void take_test_overhead(Lane& lane);
// A call that was not selected; `words` are what it started, or the received half. Receives that were started are
// counted when they complete.
void count_unrecorded(Lane& lane, const Record& record, std::span<const std::int64_t> words);

} // namespace tactus
