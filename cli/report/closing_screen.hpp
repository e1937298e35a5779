// What `tactus run` shows at its end, on standard error: standard output belongs to the application.
#pragma once

#include <string>

namespace tactus {

// Exits with nothing: a trace that cannot be read is one line, the application's exit status stands.
void show_closing_screen(const std::string& trace);

} // namespace tactus
