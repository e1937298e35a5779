// The parts of a dumped line: peers, communicators, requests and what a call moved, as text. Pure functions.
#pragma once

#include "trace/definitions.hpp"
#include "trace/words.hpp"

#include <string>

namespace tactus {

// Communicators are given as their definition, null when the trace has none, and their number.

// Returns the name that the application gave, "MPI_COMM_WORLD" or "MPI_COMM_SELF", or else "#5".
std::string comm_text(const Comm* comm, std::uint32_t number);

// Returns the text of a rank in `comm`, as records hold it: "3", "3 (world 7)" if the rank in MPI_COMM_WORLD differs,
// "any", "MPI_PROC_NULL", "MPI_ROOT" or "none".
std::string peer_text(const Comm* comm, std::int32_t peer);

// Returns "lane:serial", such as "0:12".
std::string request_text(std::uint64_t request);

// Returns text such as "to 1 tag 7 comm MPI_COMM_WORLD bytes 8". `direction` is "to" or "from". The communicator is
// left out if it is not known.
std::string envelope_text(const Comm* comm, const char* direction, const Signature& what);

// Returns text for a request that MPI_Start or MPI_Startall started, such as
// "MPI_Send_init send to 1 tag 0 comm ... request 0:5".
std::string started_text(const Comm* comm, const Started& started);
// Returns text for a completed request: "receive from 1 tag 7 bytes 8 request 0:12" for a receive, and otherwise
// "complete request 0:12", because the line of its start has the rest.
std::string completion_text(const Comm* comm, std::uint32_t number, const Completion& done);

// Returns text such as "comm MPI_COMM_WORLD root 0 bytes 8". Only functions with a root have one in it.
std::string collective_text(const Comm* comm, const Signature& what);

// Returns text for a note of the tracer, such as "note communicator ...". Only for records of such kinds.
std::string note_text(const Comm* comm, const Record& record, Words words);

} // namespace tactus
