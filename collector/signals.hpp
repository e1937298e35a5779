// SIGTERM, where the application left it at default: everything recorded is brought into the file, then the process
// ends by it as it would have. And VT_FLUSH_SIGNAL: the same without an end. The handlers only ring for the background
// thread; what they find impossible is left in the lanes for `tactus recover`.
#pragma once

#include <string>

namespace tactus {

// After the trace was opened. Says (as a line; empty: nothing to say) when the application uses the flush signal
// itself.
std::string watch_signals(const std::string& flush_signal);
// SIGTERM is at default again, if it is still ours.
void leave_sigterm();
// In the background thread, at every ring.
void run_errands();

} // namespace tactus
