// Decides which calls are recorded: VT_traceoff, and ITAC's filters by process, name and time. What is not recorded is
// counted in the thread's lane, for each channel.
#pragma once

#include "collector/process_state.hpp"
#include "trace/record.hpp"
#include "writer/lane.hpp"

#include <atomic>
#include <span>
#include <string_view>

namespace tactus {

// select_by_name() reads the filters by name and time, at the first MPI call. select_by_process() reads the filter by
// process, once the rank is known.
void select_by_name();
void select_by_process(std::uint32_t rank, std::uint32_t ranks);

// Whether this thread begins with recording off; whether VT_traceon may turn recording on in this process.
bool starts_off();
bool can_trace_on();

// Symbols of VT.h ("class:name") have numbers. select_symbol() is called once, when a symbol is defined;
// is_symbol_selected() is called for each region.
void select_symbol(std::uint32_t number, std::string_view name);
bool is_symbol_selected(std::uint32_t number);
// The same for counters of VT.h and the numbers that they have.
void select_counter(std::uint32_t number, std::string_view name);
bool is_counter_selected(std::uint32_t number);
// Whether this thread records anything now. Comments have no filter by name, so they ask only this.
bool is_time_selected();

// Whether the call that this thread makes is recorded. Asked only while `selective` is set.
bool is_selected(Function function, Lane& lane);
// Waits as long as VT_TEST_OVERHEAD says. Called only while `selective` is set.
void take_test_overhead(Lane& lane);
// Counts a call that was not selected. `words` are the requests that it started, or the received half of an
// MPI_Sendrecv. Receives that it started are counted when they complete.
void count_unrecorded(Lane& lane, const Record& record, std::span<const std::int64_t> words);

} // namespace tactus
