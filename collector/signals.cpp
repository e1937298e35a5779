#include "collector/signals.hpp"

#include "base/signal_name.hpp"
#include "base/thread_state_kept.hpp"
#include "collector/sampler.hpp"
#include "collector/session.hpp"
#include "collector/thread.hpp"
#include "collector/vt/threads.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <time.h>
#include <unistd.h>

namespace tactus {
namespace {

constexpr unsigned flush = 1;
constexpr unsigned end = 2;

constinit std::atomic<unsigned> wanted{0};   // which of the two above
constinit std::atomic<bool> ending{false};   // SIGTERM has come
constinit std::atomic<bool> at_end{false};   // the trace is closed, or somebody else is closing it
constinit pid_t owner = 0;                   // a child of fork has the handlers, too, but nothing to flush
constinit timer_t last_moment{};             // ends the process when closing takes too long
constexpr timespec patience{0, 900'000'000}; // so that it ends within a second
constexpr std::int64_t between_beats_ns = 1'000'000'000;
std::int64_t next_beat_ns = 0;        // only the background thread uses it
constexpr int longest_stand_ms = 100; // closing usually takes a few

void take_default_action(int number) {
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    sigaction(number, &plain, nullptr);
    sigset_t raised;
    sigemptyset(&raised);
    sigaddset(&raised, number);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &raised, nullptr);
}

bool is_ours_to_flush() { return session != nullptr && getpid() == owner && session->writer().has_thread(); }

void ask_for(unsigned errand) {
    wanted.fetch_or(errand, std::memory_order_release); // pairs with run_errands()
    session->writer().ring();
}

// Whether the signal interrupted tactus's own code. That may hold a lock that the background thread needs.
bool is_inside_our_code() {
    const bool in_call = thread.depth > 0 && thread.open == nullptr;
    return in_call || (thread.vt != nullptr && thread.vt->busy.load(std::memory_order_relaxed));
}

// Waits until the trace is closed. False when that takes too long: the interrupted code may hold a lock of malloc that
// closing needs.
bool end_comes() {
    const timespec millisecond{0, 1'000'000};
    for (int waited_ms = 0; waited_ms < longest_stand_ms; ++waited_ms) {
        if (at_end.load(std::memory_order_acquire)) return true; // pairs with run_errands()
        nanosleep(&millisecond, nullptr);
    }
    return false;
}

// A thread that is in tactus's own code goes on until the background thread ends the process. No system call of the
// application was interrupted, so it is as if the signal had come a little later. Any other thread waits in the
// handler, as if it were dead, unless that takes too long. Launchers and schedulers may send the signal more than once;
// only the one from tactus's timer ends the waiting.
void on_sigterm(int number, siginfo_t* info, void*) {
    const ThreadStateKept kept;
    if (!is_ours_to_flush() || info->si_code == SI_TIMER) {
        take_default_action(number);
        return;
    }
    if (!ending.exchange(true)) {
        const itimerspec once{{0, 0}, patience};
        timer_settime(last_moment, 0, &once, nullptr);
        ask_for(end);
    }
    if (!is_inside_our_code() && end_comes()) take_default_action(number);
}

void on_flush_signal(int number, siginfo_t*, void*) {
    const ThreadStateKept kept;
    if (is_ours_to_flush())
        ask_for(flush);
    else if (getpid() != owner)
        take_default_action(number);
}

// False when the application has set another action than the default.
using Handler = void (*)(int, siginfo_t*, void*);
bool take_over(int number, Handler handler) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return false;
    now = {};
    now.sa_sigaction = handler;
    now.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    return sigaction(number, &now, nullptr) == 0;
}

} // namespace

std::string watch_signals(const std::string& flush_signal) {
    owner = getpid();
    constexpr pid_t init = 1; // which no signal ends by default
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGTERM;
    if (owner != init && timer_create(CLOCK_MONOTONIC, &event, &last_moment) == 0) take_over(SIGTERM, on_sigterm);
    const int number = signal_number(flush_signal);
    if (number == 0 || take_over(number, on_flush_signal)) return {};
    return "VT_FLUSH_SIGNAL: the program or its MPI uses " + flush_signal +
           " itself, so it is left alone; name another";
}

void leave_sigterm() {
    struct sigaction now {};
    if (sigaction(SIGTERM, nullptr, &now) != 0 || now.sa_sigaction != on_sigterm) return;
    now = {};
    now.sa_handler = SIG_DFL;
    sigaction(SIGTERM, &now, nullptr);
}

std::int64_t run_errands() {
    if (const std::int64_t now_ns = monotonic_ns(); now_ns >= next_beat_ns) {
        next_beat_ns = now_ns + between_beats_ns;
        session->lanes().beat();
    }
    const std::int64_t next_ns = std::min(look_at_threads(), between_beats_ns);
    const unsigned errands = wanted.exchange(0, std::memory_order_acquire); // pairs with ask_for()
    if (errands == 0) return next_ns;
    if ((errands & end) == 0) {
        session->lanes().flush();
        return next_ns;
    }
    session->close(Ending::signal);
    at_end.store(true, std::memory_order_release); // pairs with end_comes()
    take_default_action(SIGTERM);
    return next_ns;
}

} // namespace tactus
