// What `tactus run` does with the trace of a job that did not come to MPI_Finalize: it was ended by a signal, a time
// limit or a fault.
#pragma once

#include <string>

namespace tactus {

// Waits a little for processes that are still dying, brings in what their lanes hold, and finishes the trace unless it
// is large. Says on standard error what could not be done. Does nothing for a finished trace, or with VT_POSTPROC=off.
void bring_in_order(const std::string& path);

} // namespace tactus
