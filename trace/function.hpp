// The MPI functions, and what a call of each does: its shape, its mode, and for collectives which way data flows.
// One table, trace/functions.txt, feeds this, the wrappers and the documents. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactus {

enum class Shape : std::uint8_t {
    local, // moves nothing
    // point-to-point
    send,
    receive,
    sendrecv,
    probe,
    probe_try,
    match, // a probe that takes the message out of the queue, for a matched_receive
    match_try,
    matched_receive,
    buffer_attach,
    buffer_detach,
    // requests that exist already
    start,
    startall,
    ready, // a partition, or several, of a persistent send
    ready_range,
    ready_list,
    arrived,
    cancel,
    get_status,
    wait,
    waitall,
    waitany,
    waitsome,
    test,
    testall,
    testany,
    testsome,
    request_free,
    // collectives
    barrier,
    broadcast,
    scatter,
    scatterv,
    gather,
    gatherv,
    reduce,
    allreduce,
    exchange, // Allgather, Alltoall: equal blocks from everybody to everybody
    allgatherv,
    alltoallv,
    alltoallw,
    reduce_scatter,
    scan,
    neighbor_exchange,
    neighbor_allgatherv,
    neighbor_alltoallv,
    neighbor_alltoallw,
    // datatypes
    type_free,
    // communicators
    comm_make,
    comm_from_group,
    comm_parent,
    comm_free,
    comm_name,
    // windows and one-sided communication
    window_make,
    window_free,
    window, // synchronizes
    window_try,
    window_group, // Post, Start
    window_fence,
    put,
    get,
    update, // data moves both ways: Get_accumulate, Fetch_and_op, Compare_and_swap
    // files
    file_open,
    file_close,
    file_read,
    file_write,
    file_done, // the end of a split collective
    file,
    // the run
    init,
    init_thread,
    session_init,
    session_finalize,
    finalize,
    abort,
    pcontrol,
};

enum class Mode : std::uint8_t { blocking, starting, persistent };

// Which way the data of a collective flows; "none" means that it is not a collective.
enum class Pattern : std::uint8_t { none, barrier, one_to_all, all_to_one, all_to_all, prefix, neighbors };

constexpr Pattern pattern_of(Shape shape) {
    switch (shape) {
    case Shape::barrier:
        return Pattern::barrier;
    case Shape::broadcast:
    case Shape::scatter:
    case Shape::scatterv:
        return Pattern::one_to_all;
    case Shape::gather:
    case Shape::gatherv:
    case Shape::reduce:
        return Pattern::all_to_one;
    case Shape::allreduce:
    case Shape::exchange:
    case Shape::allgatherv:
    case Shape::alltoallv:
    case Shape::alltoallw:
    case Shape::reduce_scatter:
        return Pattern::all_to_all;
    case Shape::scan:
        return Pattern::prefix;
    case Shape::neighbor_exchange:
    case Shape::neighbor_allgatherv:
    case Shape::neighbor_alltoallv:
    case Shape::neighbor_alltoallw:
        return Pattern::neighbors;
    default:
        return Pattern::none;
    }
}

constexpr bool completes_requests(Shape s) { return s >= Shape::wait && s <= Shape::testsome; }
// Whether the words after a record are completions.
constexpr bool has_completions(Shape s) { return completes_requests(s) || s == Shape::get_status; }
constexpr bool starts_persistent(Shape s) { return s == Shape::start || s == Shape::startall; }
constexpr bool is_send(Shape s) { return s == Shape::send || s == Shape::sendrecv; }

struct FunctionInfo {
    std::string_view name; // "MPI_Send"
    Shape shape;
    Mode mode;
};

#include "trace/functions.gen.hpp" // made from functions.txt: enum class Function, functions[]

constexpr std::size_t function_count = functions.size();

} // namespace tactus
