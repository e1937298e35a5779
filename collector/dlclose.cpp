// dlclose, in front of the C library's. The modules that calls came from are noted before one of them goes, and what is
// loaded at its addresses later has call places of its own (module_history.hpp). Another thread may load something
// there before this one has noted it. It asks dlsym before it calls anything there, so dlsym notes modules, too.
#include "base/thread_state_kept.hpp"
#include "collector/deep_binding.hpp"
#include "collector/module_history.hpp"
#include "collector/modules.hpp"
#include "collector/next_dl.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"

#include <dlfcn.h>

namespace tactus {

void note_modules() {
    if (session == nullptr || !session->live()) return;
    const ThreadStateKept kept;
    ++thread.depth; // Signal handlers see that tactus is at work.
    {
        const HalfDone half_done;
        session->lanes().note_modules();
    }
    --thread.depth;
}

} // namespace tactus

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name)
extern "C" [[gnu::visibility("default")]] int dlclose(void* handle) {
    using namespace tactus;
    find_next_dl();
    // The MPI closes dozens of plugins, some of them by way of UCX.
    const bool is_program = thread.depth == 0 && !is_mpi_code(__builtin_return_address(0));
    if (is_program) {
        bind_deep_libraries();
        note_modules();
    }
    const int result = next_dlclose(handle);
    forget_code();
    if (is_program) note_modules();
    return result;
}
