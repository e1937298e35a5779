// dlclose, in front of the C library's. The modules that calls came from are noted before one of them goes, and what is
// loaded at its addresses later has call places of its own (module_history.hpp). Another thread may load something
// there before this one has noted it. It asks dlsym before it calls anything there, so dlsym notes modules, too.
#include "base/thread_state_kept.hpp"
#include "collector/deep_binding.hpp"
#include "collector/dynamic_symbols.hpp"
#include "collector/module_history.hpp"
#include "collector/modules.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"

#include <atomic>
#include <dlfcn.h>

namespace tactus {
namespace {

using Dlclose = int (*)(void*);

Dlclose next_dlclose() {
    // Two threads may look for it at once, and both find the same.
    static constinit std::atomic<Dlclose> next{nullptr};
    Dlclose found = next.load(std::memory_order_relaxed);
    if (found == nullptr) {
        found = reinterpret_cast<Dlclose>(function_after_this_library("dlclose"));
        next.store(found, std::memory_order_relaxed);
    }
    return found;
}

} // namespace

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

extern "C" int dlclose(void* handle) { // NOLINT(readability-inconsistent-declaration-parameter-name)
    using namespace tactus;
    const Dlclose next = next_dlclose();
    if (is_mpi_code(__builtin_return_address(0))) { // plugins of the MPI itself, dozens of them at its start and end
        const int result = next(handle);
        forget_code();
        return result;
    }
    bind_deep_libraries();
    note_modules();
    const int result = next(handle);
    forget_code();
    note_modules();
    return result;
}
