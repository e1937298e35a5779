// Handles SIGTERM, where the application left it at its default: everything recorded is written to the file, and then
// the process ends by the signal as it would have without tactus. VT_FLUSH_SIGNAL does the same without ending the
// process. The handlers only wake the background thread. What cannot be written stays in the lanes for `tactus
// recover`.
#pragma once

#include <cstdint>
#include <string>

namespace tactus {

// Called after the trace was opened. Returns a message when the application uses the flush signal itself, otherwise an
// empty text.
std::string watch_signals(const std::string& flush_signal);
// Sets SIGTERM back to its default, if its handler is still that of tactus.
void leave_sigterm();
// Called in the background thread, each time a handler woke it, and after as many nanoseconds as it returns.
std::int64_t run_errands();

} // namespace tactus
