#include "collector/selection.hpp"

#include "base/locked.hpp"
#include "base/mpi/handle_table.hpp"
#include "base/options/filter.hpp"
#include "base/options/time_windows.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"
#include "trace/shapes.hpp"
#include "trace/words.hpp"

#include <algorithm>
#include <atomic>
#include <bitset>

namespace tactus {

namespace {

struct Choice {
    Filter names;
    CounterRules counters;
    std::bitset<function_count> off;                  // MPI functions that are filtered out
    HandleTable off_symbols;                          // by number
    HandleTable off_counters;                         // by number
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for writing to these two
    TimeWindows windows;
    bool has_windows = false;
    ProcessState process = ProcessState::on;
    std::int64_t test_overhead_ns = 0;
};
// Written at the first call and in MPI_Init, before `selective` is set; then only read. Never freed.
constinit Choice* choice = nullptr;

bool in_window(const Choice& chosen) {
    return !chosen.has_windows || chosen.windows.at(monotonic_ns() - session->header().start.monotonic_ns).on;
}

void count_starts(Lane& lane, const Record& record, std::span<const std::int64_t> words) {
    for (const Started& started : starts_of(record, words)) {
        const Shape shape = functions[static_cast<std::size_t>(started.function)].shape;
        if (is_send(shape)) lane.skipped().add(started.comm, started.peer, Direction::sent);
        if (pattern_of(shape) != Pattern::none) lane.skipped().add(started.comm, peer::none, Direction::collective);
    }
}

// The quickest wait for VT_TEST_OVERHEAD. When two threads store theirs at once, the next wait corrects it.
constinit std::atomic<Ticks> quickest_wait{~Ticks{0}};

} // namespace

void select_by_name() {
    choice = new Choice;
    choice->names = Filter::read(session->options());
    choice->counters = CounterRules::read(session->options());
    for (std::size_t i = 0; i < function_count; ++i) choice->off[i] = !choice->names.records("MPI", functions[i].name);
    choice->windows = TimeWindows::read(session->options());
    choice->has_windows = !choice->windows.at(0).on || choice->windows.at(0).until != TimeWindows::never;
    choice->test_overhead_ns = session->options().nanoseconds(Option::test_overhead);
    if (choice->off.any() || choice->has_windows || choice->test_overhead_ns > 0) selective = true;
}

void select_by_process(std::uint32_t rank, std::uint32_t ranks) {
    choice->process = state_of_process(session->options(), rank, ranks);
    if (!starts_off()) return;
    thread.off = true;
    if (thread.lane != nullptr) thread.lane->set_off(true);
    selective = true;
}

void select_symbol(std::uint32_t number, std::string_view name) {
    const std::size_t colon = std::min(name.rfind(':'), name.size());
    if (choice->names.records(name.substr(0, colon), name.substr(std::min(colon + 1, name.size())))) return;
    const Locked hold{choice->lock};
    choice->off_symbols.put(number, 1);
    selective = true;
}

bool is_symbol_selected(std::uint32_t number) { return choice->off_symbols.find(number) == 0 && is_time_selected(); }

void select_counter(std::uint32_t number, std::string_view name) {
    if (choice->counters.records({name}, true)) return;
    const Locked hold{choice->lock};
    choice->off_counters.put(number, 1);
    selective = true;
}

bool is_counter_selected(std::uint32_t number) { return choice->off_counters.find(number) == 0; }

bool is_time_selected() { return !thread.off && in_window(*choice); }

bool starts_off() { return choice->process != ProcessState::on || thread.begins_off; }
bool can_trace_on() { return choice->process == ProcessState::on || choice->process == ProcessState::off; }

bool is_selected(Function function, Lane& lane) {
    if (thread.calibrating) return true;
    const bool selected = !thread.off && !choice->off[static_cast<std::size_t>(function)] && in_window(*choice);
    if (selected && !lane.skipped().empty()) lane.note_skipped();
    return selected;
}

void take_test_overhead(Lane& lane) {
    if (choice->test_overhead_ns == 0) return;
    const Ticks begin_tick = now();
    const std::int64_t begin = monotonic_ns();
    while (monotonic_ns() - begin < choice->test_overhead_ns) {
    }
    // A rank without a core waits longer. That time is the machine's, not the tracer's, so the quickest wait is added:
    // tests expect the same sums on every machine.
    const Ticks taken = now() - begin_tick;
    const Ticks quickest = std::min(taken, quickest_wait.load(std::memory_order_relaxed));
    quickest_wait.store(quickest, std::memory_order_relaxed);
    lane.add_test_overhead(quickest);
}

void count_unrecorded(Lane& lane, const Record& record, std::span<const std::int64_t> words) {
    const Signature& what = record.what;
    lane.skipped().add_call(record.enter);
    if (what.has(flag::failed)) return;
    const FunctionInfo& function = functions[static_cast<std::size_t>(what.function)];
    const bool moves = what.peer >= 0;
    if (is_partitioned(what.function) && moves) // later ones on the channel can no longer be matched by counting
        lane.skipped().add(what.comm, what.peer, is_send(function.shape) ? Direction::sent : Direction::received);
    if (function.mode == Mode::persistent) return;
    if (is_send(function.shape) && moves) lane.skipped().add(what.comm, what.peer, Direction::sent);
    if (pattern_of(function.shape) != Pattern::none || needs_all_members(what.function))
        lane.skipped().add(what.comm, peer::none, Direction::collective);
    if (is_of_epochs(what.function)) lane.skipped().add(what.comm, peer::none, Direction::window);
    const bool receives = function.shape == Shape::receive || function.shape == Shape::matched_receive;
    if (receives && function.mode == Mode::blocking && moves)
        lane.skipped().add(what.comm, what.peer, Direction::received);
    if (function.shape == Shape::sendrecv && function.mode == Mode::blocking)
        if (const auto half = received_half(words); half && half->source >= 0)
            lane.skipped().add(what.comm, half->source, Direction::received);
    if (starts_persistent(function.shape)) count_starts(lane, record, words);
}

} // namespace tactus
