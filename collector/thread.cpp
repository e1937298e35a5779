#include "collector/thread.hpp"

#include "base/thread_state_kept.hpp"
#include "collector/call.hpp"
#include "collector/counters.hpp"
#include "collector/modules.hpp"
#include "collector/selection.hpp"
#include "collector/session.hpp"
#include "collector/vt/threads.hpp"
#include "piggyback/mpi/delays.hpp"
#include "piggyback/mpi/message_buffer.hpp"

#include <climits>
#include <new>
#include <pthread.h>

namespace tactus {

thread_local constinit Thread thread;

namespace {

pthread_key_t thread_end_key;

#ifdef __SANITIZE_THREAD__ // its runtime forgets the thread in the last round
constexpr std::uint32_t last_round = PTHREAD_DESTRUCTOR_ITERATIONS - 1;
#else
constexpr std::uint32_t last_round = PTHREAD_DESTRUCTOR_ITERATIONS;
#endif

// The destructors of the application's thread-specific data may run after this one and call MPI. pthread runs all
// destructors in several rounds, as long as some data is set, so the thread keeps its lane until the last round.
void end_of_thread(void*) {
    const ThreadStateKept kept;
    end_vt_thread();
    Lane* const lane = thread.lane;
    if (lane != nullptr) give_up_open_calls(*lane); // the thread ended inside a call
    thread.depth = 0;
    free_spare_message_buffers();
    close_counters(thread.last_reading.counters);
    operator delete(thread.scratch);
    thread.scratch = nullptr;
    thread.scratch_size = 0;
    thread.scratch_taken = false;
    if (lane == nullptr || session == nullptr) return;
    if (++thread.end_rounds < last_round && pthread_setspecific(thread_end_key, lane) == 0) {
        session->lanes().expect_end(*lane);
        return;
    }
    thread.lane = nullptr;
    session->lanes().release(*lane);
}

// The child of a fork has its parent's memory, but none of its threads, files and lanes (lanes are MADV_DONTFORK).
void at_fork_in_child() {
    renew_code_lock();
    step_aside();
    forget_counters(thread.last_reading.counters);
    thread.lane = nullptr;
    thread.open = nullptr; // the fork may have been made in a callback
    thread.nesting = 0;
    if (session != nullptr) session->abandon();
    session = nullptr;
}

} // namespace

void watch_threads() {
    pthread_key_create(&thread_end_key, end_of_thread);
    pthread_atfork(nullptr, nullptr, at_fork_in_child);
}

Lane* lane_of_this_thread() {
    if (session == nullptr) return nullptr;
    const ThreadStateKept kept;
    Lane* const lane = session->recording() ? session->lanes().acquire() : nullptr;
    if (lane == nullptr && session->recording())
        session->losses().add(Loss::no_memory); // this call is lost; the next one tries again
    thread.lane = lane;
    if (thread.end_rounds > 0) { // the thread has given up its lane, and calls MPI once more
        if (lane != nullptr) session->lanes().expect_end(*lane);
        return lane;
    }
    thread.off = starts_off();
    if (lane != nullptr) lane->set_off(thread.off);
    begin_delays_of_thread();
    if (lane != nullptr && pthread_setspecific(thread_end_key, lane) == 0) // so that end_of_thread is called
        keep_spare_message_buffers();
    return lane;
}

} // namespace tactus
