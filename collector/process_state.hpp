// The state of the whole process that the collector changes while the program runs. thread.hpp has the state of a
// thread, and base/mpi/ has the program's MPI. All of it is ready before any constructor runs, because the first MPI
// call may come that early. It is never destroyed, because the last call may come after any destructor.
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

// --- What the program made, by handle. Each of these has its own locks.
extern constinit Comms comms;
extern constinit SharedObjects windows;
extern constinit SharedObjects files;
extern constinit RequestTables requests;
extern constinit Requests matched_messages; // of matched probes, as receives that are posted
extern constinit VtNames vt_names;          // made by VT.h

// --- What wrappers look at in every call. hot
// False: every call is recorded, without asking selection.hpp, and its call place is its return address. Set at the
// start, by the first VT_traceoff, or when a library that may call MPI is unloaded, and never cleared.
extern constinit std::atomic<bool> selective;
// The wrappers of collectives count them, for VT_SYNC_PERIOD. All ranks have the same value.
extern constinit std::atomic<bool> clocks_are_periodic;
// Some requests that the application freed are receives whose data must still be copied to where it belongs.
extern constinit std::atomic<bool> freed_receives;

} // namespace tactus
