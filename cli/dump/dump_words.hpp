// The parts of a dumped line: peers, communicators, requests and what a call moved, in words. Pure.
#pragma once

#include "trace/definitions.hpp"
#include "trace/words.hpp"

#include <string>

namespace tactus {

// Communicators are given as their definition, null when the trace has none, and their number.

// "MPI_COMM_WORLD", the name the application gave, else "#5".
std::string comm_text(const Comm* comm, std::uint32_t number);

// A rank in `comm` as its records have it: "3", "3 (world 7)" where the two differ, "any", "MPI_PROC_NULL", "MPI_ROOT".
std::string peer_text(const Comm* comm, std::int32_t peer);

// "lane:serial", as in "0:12".
std::string request_text(std::uint64_t request);

// "to 1 tag 7 comm MPI_COMM_WORLD bytes 8"; `direction` is "to" or "from". Without a communicator only what is known.
std::string envelope_text(const Comm* comm, const char* direction, const Signature& what);

// What one completed request was: "receive from 1 tag 7 bytes 8 request 0:12", or
// "complete request 0:12" for a send (or MPI_Comm_idup): the line of its start has the rest.
// "send to 1 tag 0 comm ... request 0:5": what MPI_Start or MPI_Startall started.
std::string started_text(const Comm* comm, const Started& one);
std::string completion_text(const Comm* comm, std::uint32_t number, const Completion& done);

// "comm MPI_COMM_WORLD root 0 bytes 8"; the root only where the function has one.
std::string collective_text(const Comm* comm, const Signature& what);

// A note of the tracer's own (any kind but a call): "note stall", "note communicator ...".
std::string note_text(const Comm* comm, const Record& record, Words words);

} // namespace tactus
