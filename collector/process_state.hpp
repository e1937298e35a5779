// What the collector knows of the whole process and changes while the program runs; what belongs to a thread is in
// thread.hpp, and the program's MPI itself in base/mpi/. All of it is ready before any constructor ran, for the first
// MPI call may come that early, and never destroyed, for the last may come after any destructor.
#pragma once

#include <atomic>

namespace tactus {

class Comms;
class Requests;
class RequestTables;
class Session;
class SharedObjects;
class VtNames;

// nullptr: this process is not recorded. Set by the first MPI call, and cleared in the child of a fork.
extern constinit Session* session;

// --- What the program made, by handle. Each has locks of its own.
extern constinit Comms comms;
extern constinit SharedObjects windows;
extern constinit SharedObjects files;
extern constinit RequestTables requests;
extern constinit Requests matched_messages; // of matched probes, as receives that are posted
extern constinit VtNames vt_names;          // made by VT.h

// --- What wrappers look at in every call. hot
// False: every call is recorded, at once. Set at the start, or by the first VT_traceoff, and never cleared.
extern constinit std::atomic<bool> selective;
// The wrappers of collectives count them; all ranks agree.
extern constinit std::atomic<bool> clocks_are_periodic;
// Some requests that the application freed are receives whose data is still to be copied to where it belongs.
extern constinit std::atomic<bool> freed_receives;

} // namespace tactus
