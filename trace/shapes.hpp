// Name and shape of a function number that came from a file. A newer tactus may have appended functions that this one
// does not know: they are shown by number and treated as moving nothing. Pure.
#pragma once

#include "trace/record.hpp"

#include <string>

namespace tactus {

constexpr bool is_known(Function function) { return static_cast<std::size_t>(function) < function_count; }

constexpr Shape shape_of(Function function) {
    return is_known(function) ? functions[static_cast<std::size_t>(function)].shape : Shape::local;
}

constexpr Mode mode_of(Function function) {
    return is_known(function) ? functions[static_cast<std::size_t>(function)].mode : Mode::blocking;
}

inline std::string name_of(Function function) {
    if (is_known(function)) return std::string{functions[static_cast<std::size_t>(function)].name};
    return "function " + std::to_string(static_cast<unsigned>(function));
}

constexpr bool is_probe(Shape s) {
    return s == Shape::probe || s == Shape::probe_try || s == Shape::match || s == Shape::match_try;
}

// Whether a record stands for tests or probes that were unsuccessful.
inline bool found_nothing(const Signature& what) {
    return what.has(flag::repeated) && shape_of(what.function) != Shape::local;
}

constexpr bool makes_ready(Shape s) { return s == Shape::ready || s == Shape::ready_range || s == Shape::ready_list; }

// Whether the result of a call depends on the arguments of every member, so that no member can leave before the last
// has entered. Other calls may behave like that, but MPI does not require it; for MPI_Win_fence it depends on the
// assertion.
constexpr bool needs_all_members(Function function) {
    return function == Function::Comm_split || function == Function::Comm_split_type ||
           function == Function::Dist_graph_create;
}

constexpr bool is_partitioned(Function function) {
    return function == Function::Psend_init || function == Function::Precv_init;
}

// Whether a call begins or ends an epoch of a window in which other ranks take part, or begins an epoch of this rank
// alone (a lock).
constexpr bool is_of_epochs(Function function) {
    return function == Function::Win_fence || function == Function::Win_post || function == Function::Win_start ||
           function == Function::Win_complete || function == Function::Win_wait || function == Function::Win_test ||
           function == Function::Win_lock || function == Function::Win_lock_all;
}

// Whether a call takes part in a collective. A call that prepares a persistent collective does not.
constexpr bool is_collective(Function function) {
    return pattern_of(shape_of(function)) != Pattern::none && mode_of(function) != Mode::persistent;
}

} // namespace tactus
