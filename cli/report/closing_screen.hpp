// The screen that `tactus run` shows at its end. It goes to standard error, because standard output belongs to the
// application.
#pragma once

#include <string>

namespace tactus {

// A trace that cannot be read only prints one line, because the exit status of `tactus run` is the application's.
void show_closing_screen(const std::string& trace);

} // namespace tactus
