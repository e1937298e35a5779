// What the wrappers of single functions need from the session.
#include "collector/wrapping.hpp"

namespace tactus {

void initialized(Call& call) {
    if (thread.depth != 1 || session == nullptr) return;
    call.store();
    session->start();
}

void profiling_level(int level) {
    if (session != nullptr && session->live() && (level == 0 || level == 1)) set_tracing(level == 1);
}

const Options* options_of_run() { return session != nullptr ? &session->options() : nullptr; }

void has_session() {
    session->note_mpi_session();
    requests.use_lock(true);
    matched_messages.use_lock(true);
}

} // namespace tactus
