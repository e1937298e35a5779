// The MPI functions, and what a call of each does: its shape, and for collectives which way data flows.
// One table, trace/functions.txt, feeds this, the wrappers and the documents. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactus {

enum class Shape : std::uint8_t {
    local, // moves nothing
    // point-to-point; "_start" ones return a request
    send,
    send_start,
    receive,
    receive_start,
    sendrecv,
    probe,
    probe_try,
    // completion of requests
    wait,
    waitall,
    waitany,
    waitsome,
    test,
    testall,
    testany,
    testsome,
    request_free,
    // blocking collectives
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
    // handles
    comm_make,
    comm_make_start,
    comm_free,
    comm_name,
    // the run
    init,
    init_thread,
    finalize,
    abort,
    pcontrol,
};

// Which way the data of a collective flows; "none" is no collective.
enum class Pattern : std::uint8_t { none, barrier, one_to_all, all_to_one, all_to_all, prefix };

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
    default:
        return Pattern::none;
    }
}

constexpr bool is_send(Shape s) { return s == Shape::send || s == Shape::send_start || s == Shape::sendrecv; }
constexpr bool completes_requests(Shape s) { return s >= Shape::wait && s <= Shape::testsome; }

struct FunctionInfo {
    std::string_view name; // "MPI_Send"
    Shape shape;
};

#include "trace/functions.gen.hpp" // made from functions.txt: enum class Function, functions[]

constexpr std::size_t function_count = functions.size();

} // namespace tactus
